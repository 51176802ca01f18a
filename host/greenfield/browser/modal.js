// @ts-check
/*
 * Opens the payer's page in a frame over a shop's page. The shop calls `window.btcpay`; the page in the frame says by
 * messages what becomes of the invoice.
 */
{
  const source = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;
  /** The till's address, without a slash at its end. */
  let prefix = source.replace(/\/modal\/btcpay\.js.*$/, '');
  /** @type {HTMLElement | null} */
  let dialog = null;
  /** @type {HTMLIFrameElement | null} */
  let frame = null;
  /** @type {Element | null} */
  let focused = null;

  /** @type {((event: MessageEvent) => void)[]} */
  const listeners = [];
  let enter = () => {};
  let leave = () => {};

  /** @param {HTMLElement} element @param {Partial<CSSStyleDeclaration>} style */
  const styled = (element, style) => Object.assign(element.style, style);

  /** @param {string} invoiceId @param {Record<string, string>} [params] */
  function build(invoiceId, params = {}) {
    remove();
    dialog = document.createElement('div');
    dialog.setAttribute('role', 'dialog');
    dialog.setAttribute('aria-modal', 'true');
    styled(dialog, {
      position: 'fixed',
      inset: '0',
      zIndex: '2147483000',
      display: 'none',
      background: 'rgb(0 0 0 / 60%)',
    });
    frame = document.createElement('iframe');
    const query = new URLSearchParams(params).toString();
    frame.src = `${prefix}/i/${encodeURIComponent(invoiceId)}${query === '' ? '' : `?${query}`}`;
    frame.title = 'Payment';
    frame.allow = 'clipboard-write';
    styled(frame, { position: 'absolute', inset: '0', width: '100%', height: '100%', border: '0' });
    const close = document.createElement('button');
    close.type = 'button';
    close.setAttribute('aria-label', 'Close');
    close.textContent = '\u00d7';
    styled(close, { position: 'absolute', top: '8px', insetInlineEnd: '8px', width: '44px', height: '44px' });
    styled(close, {
      font: '24px/1 sans-serif',
      color: '#222',
      background: '#fff',
      border: '1px solid #999',
      cursor: 'pointer',
    });
    close.addEventListener('click', hide);
    dialog.append(frame, close);
    document.body.append(dialog);
  }

  function remove() {
    dialog?.remove();
    dialog = null;
    frame = null;
  }

  function show() {
    if (dialog === null || dialog.style.display !== 'none') return;
    enter();
    focused = document.activeElement;
    dialog.style.display = 'block';
    dialog.querySelector('button')?.focus();
  }

  function hide() {
    if (dialog === null) return;
    leave();
    remove();
    if (focused instanceof HTMLElement) focused.focus();
  }

  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });

  addEventListener('message', (event) => {
    // Only the frame of this script, while it shows the till.
    if (frame === null || event.source !== frame.contentWindow || event.origin !== new URL(prefix).origin) return;
    for (const listener of [...listeners]) listener(event);
    if (event.data === 'close') hide();
  });

  Object.assign(window, {
    btcpay: {
      /** @param {string} invoiceId @param {Record<string, string>} [params] */
      showInvoice(invoiceId, params) {
        build(invoiceId, params);
        show();
      },
      /** @param {string} invoiceId @param {Record<string, string>} [params] */
      appendInvoiceFrame: build,
      showFrame: show,
      hideFrame: hide,
      /** @param {() => void} listener */
      onModalWillEnter(listener) {
        enter = listener;
      },
      /** @param {() => void} listener */
      onModalWillLeave(listener) {
        leave = listener;
      },
      /** @param {(event: MessageEvent) => void} listener */
      onModalReceiveMessage(listener) {
        listeners.push(listener);
      },
      /** @param {string} url */
      setApiUrlPrefix(url) {
        prefix = url.replace(/\/+$/, '');
      },
    },
  });
}
