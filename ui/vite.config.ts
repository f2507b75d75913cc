import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The policy that the window runs under, for `npm run demo`; there, nothing speaks over `ipc:`.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'";

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  build: {
    // The oldest engines that the window may meet: WebKitGTK 2.44 and WebView2 of 2024.
    target: ["safari17", "chrome120"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: { host: "127.0.0.1", port: 5173, strictPort: true },
  preview: { host: "127.0.0.1", port: 4173, headers: { "Content-Security-Policy": policy } },
  resolve: mode === "test" ? { conditions: ["browser"] } : {},
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    // A shared computer may be slow; no test waits for time to pass.
    testTimeout: 60_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
}));
