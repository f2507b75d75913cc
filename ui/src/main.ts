import { mount } from "svelte";
import AppView from "./App.svelte";
import { BackendError } from "./backend/backend";
import { connect } from "./backend/connect";
import FailedStart from "./pages/FailedStart.svelte";
import { App } from "./stores/app.svelte";
import "./styles/tokens.css";
import "./styles/base.css";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has an element called app");

try {
  mount(AppView, { target, props: { app: new App(await connect()) } });
} catch (thrown) {
  mount(FailedStart, { target, props: { error: BackendError.from(thrown).view(), health: null, onretry: () => location.reload() } });
}
