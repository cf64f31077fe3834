// What stands around the code of every component: Python sends its data as the bytes of a JSON text.
// The same text gives the same object again.
const componentTexts = new WeakMap();

function componentData({ data, parentElement }) {
  if (!ArrayBuffer.isView(data)) return data;
  const text = new TextDecoder().decode(data);
  let known = componentTexts.get(parentElement);
  if (known?.text !== text) {
    known = { text, read: JSON.parse(text) };
    componentTexts.set(parentElement, known);
  }
  return known.read;
}

export default (component) => componentDraw({ ...component, data: componentData(component) });
