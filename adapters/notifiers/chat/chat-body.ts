/** The supported services with incoming webhooks; `plain` posts the text as it is. */
export const CHAT_FORMATS = ['slack', 'discord', 'mattermost', 'plain'] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

/** The body of a request, and its type. */
export interface ChatBody {
  readonly contentType: string;
  readonly body: string;
}

/** Discord accepts at most 2,000 characters, the others more. */
const MOST = { slack: 10_000, discord: 1_900, mattermost: 10_000, plain: 10_000 } as const satisfies Record<
  ChatFormat,
  number
>;

/** A message in the format of a service, which shows user values as plain text. */
export function chatBody(format: ChatFormat, subject: string, text: string): ChatBody {
  const whole = shortened(`${subject}\n\n${text}`, MOST[format]);
  const write = (fields: object): ChatBody => ({ contentType: 'application/json', body: JSON.stringify(fields) });
  switch (format) {
    case 'slack':
      // Mentions and links are written in angle brackets; without mrkdwn nothing else is a mark.
      return write({
        text: escaped(whole),
        mrkdwn: false,
        link_names: false,
        unfurl_links: false,
        unfurl_media: false,
      });
    case 'discord':
      return write({ content: asCode(whole), allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS });
    case 'mattermost':
      return write({ text: asCode(withoutMentions(whole)) });
    case 'plain':
      return { contentType: 'text/plain; charset=utf-8', body: whole };
  }
}

const SUPPRESS_EMBEDS = 4;
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** A code block, in which nothing is formatted and which its content cannot end. */
const asCode = (text: string): string => `\`\`\`\n${text.replaceAll('`', "'")}\n\`\`\``;
const withoutMentions = (text: string): string => text.replace(/@(?=(?:all|channel|here|everyone)\b)/giu, '@\u200b');

function shortened(text: string, most: number): string {
  const characters = Array.from(text);
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
