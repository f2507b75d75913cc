import { beforeEach, describe, expect, test, vi } from "vitest";
import { fakeBackend } from "../backend/fake/fake";
import { Network } from "./network.svelte";

let backend: ReturnType<typeof fakeBackend>;
let network: Network;
let told: boolean[];

beforeEach(() => {
  backend = fakeBackend();
  told = [];
  const tell = backend.networkChanged;
  backend.networkChanged = (online) => {
    told.push(online);
    return tell(online);
  };
  network = new Network(backend);
});

describe("the network", () => {
  test("is followed as the system tells of it, and the core hears it", () => {
    const stop = network.watch();
    dispatchEvent(new Event("offline"));
    const away = network.offline;
    dispatchEvent(new Event("online"));
    expect([away, network.offline, told]).toEqual([true, false, [false, true]]);
    stop();
    dispatchEvent(new Event("offline"));
    expect([network.offline, told.length]).toEqual([false, 2]);
  });

  test("is gone too where only the core cannot reach anything", () => {
    network.heard(false);
    expect(network.offline).toBe(true);
    network.heard(true);
    expect(network.offline).toBe(false);
  });

  test("that is back for the system is back until the core says otherwise", () => {
    const stop = network.watch();
    network.heard(false);
    dispatchEvent(new Event("online"));
    expect(network.offline).toBe(false);
    stop();
  });

  test("that is missing at the start is known, and told to the core when that can hear it", () => {
    vi.stubGlobal("navigator", { onLine: false });
    const late = new Network(backend);
    const before = [late.offline, ...told];
    late.tell();
    expect([before, told]).toEqual([[true], [false]]);
  });
});

test("how many messages wait is known from the health", () => {
  network.took({ online: false, queued: 2, services: [], providers: [] });
  expect([network.offline, network.queued]).toEqual([true, 2]);
});
