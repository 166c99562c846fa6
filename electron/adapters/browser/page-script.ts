/**
 * Script that runs in the page's process but in an isolated world: the page's scripts cannot
 * replace the functions that it calls. Every walk is limited by time and size. The result of the
 * script is a function of one request. Plain JavaScript, because it is sent as text.
 */
export const PAGE_SCRIPT = String.raw`(() => {
  const DROPPED = new Set('script style noscript template svg object embed head iframe canvas video audio'.split(' '));
  const BLOCKS = new Set(('address article aside blockquote br dd div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section table tr ul').split(' '));
  const SET_AT_ONCE = new Set('date time month week datetime-local color range'.split(' '));
  const PRESSED = new Set('button submit reset image'.split(' '));
  const line = (text, max) => String(text ?? '').slice(0, max * 4).replace(/\s+/g, ' ').trim().slice(0, max);

  // Own shadow trees and what is put into their slots, as they are seen.
  const childrenOf = (node) => {
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.localName === 'slot') {
      const given = node.assignedNodes();
      if (given.length > 0) return given;
    }
    return node.childNodes;
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: false });

  // enter(node) answers 'skip' to leave a node out, 'stop' to end; leave(node) comes after its inside.
  const walk = (root, endMs, enter, leave) => {
    const stack = [[root, false]];
    let seen = 0;
    while (stack.length > 0) {
      const [node, isLeaving] = stack.pop();
      if (isLeaving) { leave(node); continue; }
      seen += 1;
      if ((seen & 255) === 0 && performance.now() > endMs) return 'late';
      const does = enter(node);
      if (does === 'stop') return 'stopped';
      if (node.nodeType !== 1 && node.nodeType !== 11) continue;
      if (does === 'skip') continue;
      stack.push([node, true]);
      const children = childrenOf(node);
      for (let at = children.length - 1; at >= 0; at -= 1) stack.push([children[at], false]);
    }
    return 'whole';
  };

  const shownText = (root, max) => {
    let text = '';
    walk(root, performance.now() + 200, (node) => {
      if (text.length > max * 2) return 'stop';
      if (node.nodeType === 3) text += node.data.slice(0, max * 2);
      else if (node.nodeType === 1) {
        if (DROPPED.has(node.localName) || node.localName === 'select' || node.localName === 'textarea') return 'skip';
        if (node.localName === 'img') text += ' ' + line(node.alt, max) + ' ';
        if (BLOCKS.has(node.localName)) text += ' ';
      }
      return undefined;
    }, () => undefined);
    return line(text, max);
  };
  const roleOf = (element) => {
    const role = line(element.getAttribute('role'), 30).toLowerCase();
    switch (element.localName) {
      case 'a': return element.href ? 'link' : '';
      case 'button': case 'summary': return 'button';
      case 'select': return 'list';
      case 'textarea': return 'field';
      case 'label': return 'label';
      case 'input':
        if (element.type === 'hidden') return '';
        if (PRESSED.has(element.type)) return 'button';
        return element.type === 'checkbox' || element.type === 'radio' ? 'choice' : 'field';
      default:
        if (element.isContentEditable && !(element.parentElement && element.parentElement.isContentEditable)) return 'field';
        if (['button', 'link', 'tab', 'menuitem', 'option', 'switch', 'checkbox', 'radio'].includes(role)) return role;
        return element.hasAttribute('onclick') ? 'button' : '';
    }
  };
  const nameOf = (element) => {
    const own = line(element.getAttribute('aria-label'), 120);
    if (own) return own;
    if (element.localName === 'input' && PRESSED.has(element.type)) return line(element.value || element.alt || element.type, 120);
    const isField = ['input', 'textarea', 'select'].includes(element.localName);
    const labels = isField ? Array.from(element.labels ?? []).map((label) => shownText(label, 120)).join(' ') : '';
    if (line(labels, 120)) return line(labels, 120);
    if (isField) return line(element.placeholder || element.title || element.name || element.id, 120);
    return shownText(element, 120) || line(element.title || element.id, 120);
  };
  const valueOf = (element) => {
    if (element.localName === 'select') return line(element.selectedOptions[0]?.label, 200);
    if (element.isContentEditable) return shownText(element, 200);
    return element.type === 'password' ? '*'.repeat(Math.min(element.value.length, 20)) : line(element.value, 200);
  };

  const read = ({ offset, limit, timeMs }) => {
    const root = document.body ?? document.documentElement;
    const parts = [];
    let size = 0;
    let skipped = 0;
    const add = (text) => {
      const from = Math.max(0, Math.min(text.length, offset - skipped));
      skipped += from;
      const kept = text.slice(from, from + limit + 1 - size);
      parts.push(kept);
      size += kept.length;
    };
    let isBroken = true;
    const mark = (text) => { add(text); isBroken = false; };
    const ended = root === null ? 'whole' : walk(root, performance.now() + timeMs, (node) => {
      if (size > limit) return 'stop';
      if (node.nodeType === 3) {
        const text = node.data.slice(0, offset + limit + 1).replace(/\s+/g, ' ');
        if (text !== '' && (text !== ' ' || !isBroken)) mark(text);
        return undefined;
      }
      if (node.nodeType !== 1) return undefined;
      if (DROPPED.has(node.localName) || !isShown(node)) return 'skip';
      if (BLOCKS.has(node.localName) && !isBroken) { add('\n'); isBroken = true; }
      const role = roleOf(node);
      if (role === 'choice') { mark('[' + (node.checked ? 'x' : ' ') + '] '); return 'skip'; }
      if (role === 'field' || role === 'list') { mark('[' + role + ': ' + nameOf(node) + ' = "' + valueOf(node) + '"] '); return 'skip'; }
      if (role === 'button' || role === 'tab' || role === 'menuitem') { mark('[' + role + ': ' + nameOf(node) + '] '); return 'skip'; }
      if (node.localName === 'img' && node.alt) mark('[picture: ' + line(node.alt, 200) + '] ');
      return undefined;
    }, (node) => {
      if (node.localName === 'a' && /^https?:$/.test(node.protocol) && node.href.length <= 500 && !isBroken) mark(' <' + node.href + '>');
      if (BLOCKS.has(node.localName) && !isBroken) { add('\n'); isBroken = true; }
    });
    const text = parts.join('');
    return { text: text.slice(0, limit), hasMore: text.length > limit, isLate: ended === 'late' };
  };

  const find = (target, nth, isForText) => {
    const found = [];
    const near = [];
    const isWanted = (element) => {
      const role = roleOf(element);
      return isForText ? role === 'field' || role === 'list' : role !== '';
    };
    if (target.startsWith('css=')) {
      try {
        for (const element of document.querySelectorAll(target.slice(4))) if (isShown(element) && found.length < 20) found.push(element);
      } catch { return { kind: 'bad_selector' }; }
    } else {
      const wanted = line(target, 200).toLowerCase();
      const loose = [];
      const texts = [];
      walk(document.documentElement, performance.now() + 3000, (node) => {
        if (node.nodeType !== 1) return undefined;
        if (DROPPED.has(node.localName) || !isShown(node)) return 'skip';
        if (!isWanted(node)) {
          // Text without a role may still be something that is pressed.
          if (!isForText && texts.length < 20 && node.childElementCount === 0 && line(node.textContent, 200).toLowerCase() === wanted) texts.push(node);
          return undefined;
        }
        const name = nameOf(node);
        const lower = name.toLowerCase();
        if (lower === wanted) { if (found.length < 20) found.push(node); }
        else if (wanted !== '' && lower.includes(wanted) && loose.length < 20) loose.push(node);
        if (near.length < 30 && name !== '') near.push(name);
        return undefined;
      }, () => undefined);
      // A label stands for its field: only one of the two is meant.
      const isDoubled = (element, list) => element.localName === 'label' && element.control && list.includes(element.control);
      const pick = [found, loose, texts].find((list) => list.length > 0) ?? [];
      const single = pick.filter((element) => !isDoubled(element, pick) && !pick.some((other) => other !== element && element.contains(other) && nameOf(other) === nameOf(element)));
      found.splice(0, found.length, ...single);
    }
    if (found.length === 0) return { kind: 'none', near };
    if (nth === undefined && found.length > 1) return { kind: 'many', names: found.slice(0, 10).map((element) => (roleOf(element) || element.localName) + ' ' + nameOf(element)) };
    const element = found[(nth ?? 1) - 1];
    return element === undefined ? { kind: 'few', count: found.length } : { kind: 'found', element };
  };

  const place = ({ target, nth, isForText }) => {
    const hit = find(target, nth, isForText);
    if (hit.kind !== 'found') return hit;
    const { element } = hit;
    if (element.disabled || element.getAttribute('aria-disabled') === 'true') return { kind: 'disabled' };
    if (element.localName === 'input' && element.type === 'file') return { kind: 'file' };
    const isField = ['input', 'textarea', 'select'].includes(element.localName) || element.isContentEditable;
    if (isForText && (!isField || element.readOnly || roleOf(element) === 'choice' || roleOf(element) === 'button')) return { kind: 'not_a_field' };
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const box = Array.from(element.getClientRects()).find((one) => one.width > 0 && one.height > 0);
    const about = { name: nameOf(element), role: roleOf(element) || element.localName };
    if (isForText) return { kind: 'found', ...about, x: 0, y: 0 };
    if (box === undefined) return { kind: 'hidden' };
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const top = element.getRootNode().elementFromPoint(x, y);
    const isOnTop = top !== null && (top === element || element.contains(top) || top.contains(element) || (top.localName === 'label' && top.control === element));
    return isOnTop ? { kind: 'found', ...about, x, y } : { kind: 'covered', by: top === null ? '' : nameOf(top) || top.localName };
  };

  // Focuses a field so that what is typed replaces the value; sets what cannot be typed.
  const fill = ({ target, nth, text }) => {
    const hit = find(target, nth, true);
    if (hit.kind !== 'found') return { kind: 'gone' };
    const { element } = hit;
    element.focus();
    const tell = () => {
      element.dispatchEvent(new Event('input', { bubbles: true }));
      element.dispatchEvent(new Event('change', { bubbles: true }));
    };
    if (element.localName === 'select') {
      const wanted = line(text, 200).toLowerCase();
      const option = Array.from(element.options).find((one) => line(one.label, 200).toLowerCase() === wanted || one.value === text);
      if (option === undefined) return { kind: 'no_option', names: Array.from(element.options).slice(0, 20).map((one) => line(one.label, 60)) };
      element.value = option.value;
      tell();
      return { kind: 'set' };
    }
    if (element.localName === 'input' && SET_AT_ONCE.has(element.type)) {
      element.value = text;
      tell();
      return { kind: 'set' };
    }
    if (typeof element.select === 'function') element.select();
    else {
      const range = document.createRange();
      range.selectNodeContents(element);
      const selection = document.getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    return { kind: 'focused' };
  };

  const head = () => ({
    url: location.href.slice(0, 2000),
    host: location.host,
    title: line(document.title, 200),
    status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0,
  });
  return { read, place, fill, head };
})()`;
