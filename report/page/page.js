'use strict';
(() => {
  const root = document.documentElement;
  const filter = () => document.getElementById('filter');
  let all = [];

  // The text of a class is looked at when somebody searches, not before: there may be many.
  const narrow = () => {
    const words = filter().value.toLowerCase().split(/\s+/).filter(w => w);
    let n = 0;
    for (const c of all) {
      const text = words.length ? c.textContent.toLowerCase() : '';
      c.hidden = !words.every(w => text.includes(w));
      n += c.hidden ? 0 : 1;
    }
    for (const cause of document.querySelectorAll('.cause')) {
      cause.hidden = ![...cause.querySelectorAll('.class')].some(c => !c.hidden);
    }
    document.getElementById('matches').textContent = words.length ? `${n} of ${all.length} classes` : '';
  };

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

  const copied = pre => {
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
  };

  // What is in the page comes to life, at first and when it was replaced.
  const bind = () => {
    all = [...document.querySelectorAll('.class')];
    filter().addEventListener('input', narrow);
    for (const c of all) {
      c.addEventListener('toggle', () => {
        if (c.open && location.hash !== '#' + c.id) history.replaceState(null, '', '#' + c.id);
      });
    }
    document.querySelectorAll('.copy').forEach(copied);
  };
  bind();
  follow();

  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches('input')) {
      if (e.key === 'Escape') {
        filter().value = '';
        narrow();
        filter().blur();
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
      case '/': filter().focus(); break;
      default: return;
    }
    e.preventDefault();
  });

  // A page that is served while its campaign goes on asks for what is new. What somebody has opened stays open,
  // and nothing moves under who types.
  let tag = '';
  const renew = async () => {
    try {
      const answer = await fetch(location.pathname, { headers: tag ? { 'If-None-Match': tag } : {} });
      if (answer.status === 200 && document.activeElement !== filter()) {
        tag = answer.headers.get('ETag') || '';
        const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const open = new Set(all.filter(c => c.open).map(c => c.id));
        const focused = document.activeElement.closest('.class')?.id;
        const words = filter().value;
        for (const part of ['header p', 'main']) {
          document.querySelector(part).replaceWith(document.adoptNode(now.querySelector(part)));
        }
        for (const id of open) {
          const c = document.getElementById(id);
          if (c) c.open = true;
        }
        bind();
        filter().value = words;
        narrow();
        if (focused) document.getElementById(focused)?.querySelector('summary').focus({ preventScroll: true });
        root.dataset.live = now.documentElement.dataset.live || '';
      }
      root.dataset.away = '';
    } catch {
      root.dataset.away = 'true';
    }
    if (root.dataset.live) setTimeout(renew, 2000);
  };
  if (root.dataset.live) renew();
  root.dataset.ready = 'true';
})();
