// The animations of chips. An element is already at its new place; only its appearance moves.

interface Point { x: number; y: number }

const EASE = "cubic-bezier(.35,0,.2,1)";

const at = ({ x, y }: Point): string => `translate(${x}px, ${y}px)`;

export function travel(element: Element, from: Point, to: Point, duration: number): void {
  element.animate([{ transform: at(from) }, { transform: at(to) }], { duration, easing: EASE });
}

export function appear(element: Element, duration: number): void {
  element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: duration / 2 });
}

/** Moves the chip to a place above its final one, and then down. */
export function fall(element: Element, from: Point, to: Point, duration: number): void {
  const above = { x: to.x, y: to.y - 70 };
  element.animate(
    [{ transform: at(from) }, { transform: at(above), offset: 0.55, easing: "ease-in" }, { transform: at(to) }],
    { duration: duration * 1.6, easing: EASE },
  );
}
