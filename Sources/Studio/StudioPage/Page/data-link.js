// The link from the model editor to the data browser, if the studio was started with a store.

import { byID } from "./dom.js";

const response = await fetch("store", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ poll: {} }),
});
if (response.ok && (await response.json()).state) byID("data-link").hidden = false;
