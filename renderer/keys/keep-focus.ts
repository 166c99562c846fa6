/**
 * Whoever works with the keys stays where they are. A browser drops the focus to the top of the page
 * when what had it is disabled while it saves, or goes with a form that was saved, a row that was
 * decided. Here it comes back to the control as soon as that can take it; where the control is gone
 * it goes to the part of the page that it stood in, never to another button: the next press would
 * answer that one.
 */

/** What had the focus, and what it stood in, from the inside out. */
interface Held {
  readonly element: HTMLElement;
  readonly around: readonly HTMLElement[];
}

/** So many are remembered: a row, its menu, the question that came of it, the ways out of that. */
const MOST_HELD = 8;
/** Most saves take less; and pages that know a better place for the focus have said so by then. */
const LOST_MS = 250;
const LANDED = 'data-landed';
const PLACES =
  'article, section, form, fieldset, li, nav, aside, main, [role="group"], [role="region"], [role="dialog"], [role="tabpanel"]';

/** True where nothing that a person chose has the focus: a page with a better place may give it. */
export function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body || activeElement.hasAttribute(LANDED);
}

/** Watches over the focus of this window until the function that it returns is called. */
export function keepFocus(): () => void {
  /** The newest first; empty where the focus was given up on purpose. */
  let held: readonly Held[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    // A dialog that had nobody to give the focus back to gives it to the page.
    const isNobody = target === document.body;
    if (!(target instanceof HTMLElement) || isNobody || target.hasAttribute(LANDED)) return;
    const now = { element: target, around: ancestorsOf(target) };
    held = [now, ...held.filter(({ element }) => element !== target)].slice(0, MOST_HELD);
  };
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // Only then is it known whether the control itself is gone.
    queueMicrotask(() => {
      const isThere = target.isConnected && !target.matches(':disabled');
      // A press beside every control: nothing was lost.
      if (isThere && document.activeElement === document.body) held = [];
    });
  };
  const land = (): void => {
    timer = undefined;
    if (document.activeElement !== document.body) return;
    for (const [at, { element, around }] of held.entries()) {
      const place = around.find((one) => one.isConnected)?.closest<HTMLElement>(PLACES);
      const isLanded = takesFocus(element) || (place != null && landOn(place));
      // What only saves comes back: it is waited for.
      const isSaving = element.isConnected && isDisabled(element);
      if (!isLanded && !isSaving) continue;
      held = held.slice(at);
      return;
    }
    held = [];
  };
  const look = (): void => {
    const [newest] = held;
    if (newest === undefined) return;
    // A control that is disabled keeps the focus until the page is drawn again.
    const isAbout = newest.element === document.activeElement && isDisabled(newest.element);
    if (!isAbout && (!isFocusLost() || takesFocus(newest.element))) return;
    if (isAbout || document.activeElement === document.body) timer ??= setTimeout(land, LOST_MS);
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('focusout', onBlur);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('focusout', onBlur);
  };
}

const isDisabled = (element: HTMLElement): boolean => element.matches(':disabled');

function ancestorsOf(element: HTMLElement): readonly HTMLElement[] {
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at !== null; at = at.parentElement) around.push(at);
  return around;
}

function takesFocus(element: HTMLElement): boolean {
  if (!element.isConnected || isDisabled(element)) return false;
  element.focus({ preventScroll: true });
  return document.activeElement === element;
}

/** Its name is read, and the next Tab goes to the first control in it. */
function landOn(place: HTMLElement): boolean {
  const isOwn = !place.hasAttribute('tabindex');
  place.setAttribute(LANDED, '');
  if (isOwn) place.tabIndex = -1;
  const leave = (): void => {
    place.removeAttribute(LANDED);
    if (isOwn) place.removeAttribute('tabindex');
  };
  place.focus({ preventScroll: true });
  if (document.activeElement === place) {
    place.addEventListener('blur', leave, { once: true });
    return true;
  }
  leave();
  return false;
}
