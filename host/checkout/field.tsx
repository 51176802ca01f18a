/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact';
import type { Language } from './languages.ts';
import type { MessageName } from './messages/en.ts';

interface FieldProps {
  readonly language: Language;
  readonly label: MessageName;
  readonly kind?: 'sum-due' | 'small' | 'row' | undefined;
  /** The text that the copy button copies, and the button's label; without it there is no button. */
  readonly copy?: { readonly text: string; readonly label: MessageName } | undefined;
  readonly children: ComponentChildren;
}

/** A labelled value. */
export function Field({ language, label, kind, copy, children }: FieldProps): VNode {
  return (
    <div class={kind === undefined ? 'field' : `field ${kind}`}>
      <dt>{language.text(label)}</dt>
      <dd>
        <span class="value">{children}</span>
        {copy === undefined ? null : (
          <CopyButton language={language} text={copy.text} label={copy.label}>
            {language.text('copy')}
          </CopyButton>
        )}
      </dd>
    </div>
  );
}

interface CopyProps {
  readonly language: Language;
  readonly text: string;
  readonly label: MessageName;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/** Copies a text; it is hidden on pages without script. */
export function CopyButton({ language, text, label, wide = false, children }: CopyProps): VNode {
  return (
    <button
      class={wide ? 'button copy' : 'copy'}
      type="button"
      data-copy={text}
      data-copied={language.text('copied')}
      aria-label={wide ? undefined : language.text(label)}
    >
      {children}
    </button>
  );
}

/** A time, in UTC until the page's script formats it in the browser's own time zone. */
export function Moment({ language, at, short = false }: { language: Language; at: number; short?: boolean }): VNode {
  return (
    <time dateTime={new Date(at).toISOString()} data-short={short ? '' : undefined}>
      {language.moment(at, short)}
    </time>
  );
}
