// Where a popover stands: beneath what opened it, above where there is no room, and never outside the window.

export function place(anchor: Element, popover: HTMLElement): void {
  const around = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const below = around.bottom + 4;
  const top = below + height > innerHeight - 8 ? Math.max(8, around.top - height - 4) : below;
  popover.style.top = `${top}px`;
  popover.style.left = `${Math.max(8, Math.min(around.right - width, innerWidth - width - 8))}px`;
}
