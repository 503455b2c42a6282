// Helpers for SVG elements.

const NAMESPACE = "http://www.w3.org/2000/svg";

export function svg(name: string, attributes: { [name: string]: string | number } = {}, text?: string): SVGElement {
  const element = document.createElementNS(NAMESPACE, name);
  set(element, attributes);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Sets the attributes that have changed. */
export function set(element: Element, attributes: { [name: string]: string | number }): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}
