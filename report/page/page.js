'use strict';
(() => {
  const all = [...document.querySelectorAll('.class')];
  const filter = document.getElementById('filter');
  const matches = document.getElementById('matches');
  const root = document.documentElement;

  // The text of a class is looked at when somebody searches, not before: there may be many.
  const narrow = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(w => w);
    let n = 0;
    for (const c of all) {
      const text = words.length ? c.textContent.toLowerCase() : '';
      c.hidden = !words.every(w => text.includes(w));
      n += c.hidden ? 0 : 1;
    }
    for (const cause of document.querySelectorAll('.cause')) {
      cause.hidden = ![...cause.querySelectorAll('.class')].some(c => !c.hidden);
    }
    matches.textContent = words.length ? `${n} of ${all.length} classes` : '';
  };
  filter.addEventListener('input', narrow);

  const theme = () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  };
  document.getElementById('theme').addEventListener('click', theme);

  // A link to a class opens it, and opening one makes the link.
  const follow = () => {
    const c = location.hash && document.getElementById(location.hash.slice(1));
    if (c && c.matches('.class')) {
      c.open = true;
      c.scrollIntoView();
      c.querySelector('summary').focus({ preventScroll: true });
    }
  };
  addEventListener('hashchange', follow);
  for (const c of all) {
    c.addEventListener('toggle', () => {
      if (c.open && location.hash !== '#' + c.id) history.replaceState(null, '', '#' + c.id);
    });
  }
  follow();

  for (const pre of document.querySelectorAll('.copy')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'copy';
    const text = pre.textContent;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'copied';
      } catch {
        getSelection().selectAllChildren(pre);
        button.textContent = 'selected';
      }
    });
    pre.append(button);
  }

  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches('input')) {
      if (e.key === 'Escape') {
        filter.value = '';
        narrow();
        filter.blur();
      }
      return;
    }
    const seen = all.filter(c => !c.hidden);
    const at = seen.findIndex(c => c.contains(document.activeElement));
    const go = i => seen[i] && seen[i].querySelector('summary').focus();
    switch (e.key) {
      case 'j': go(at + 1); break;
      case 'k': go(at < 0 ? seen.length - 1 : Math.max(0, at - 1)); break;
      case 't': theme(); break;
      case '/': filter.focus(); break;
      default: return;
    }
    e.preventDefault();
  });
  root.dataset.ready = 'true';
})();
