import { definePlugin } from '../../core/index.ts';
import { parseSmtpOptions, SmtpNotifier } from '../../adapters/notifiers/index.ts';
import type { SmtpInput, SmtpOptions } from '../../adapters/notifiers/index.ts';

/** Notices by mail: to accounts, and to the operators. */
export const smtp = definePlugin<SmtpInput, SmtpOptions>({
  name: 'smtp',
  version: '1.0.0',
  requires: '^1.8.0',
  options: parseSmtpOptions,
  async setup(context) {
    context.addNotifier(await SmtpNotifier.open(context.options, context.logger));
  },
});

export default smtp;
