// Takes what the server sends of the steps; draws nothing itself.

const entered = new WeakSet();

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  if (!entered.has(parentElement)) walk.enter();
  entered.add(parentElement);
  walk.asks = setTriggerValue;
  walk.adopt(data);
}
