import type MailComposer from 'nodemailer/lib/mail-composer';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { TillgateError } from '../../../core/index.ts';
import type { Logger, NoticeMessage, NoticeOutcome, Notifier } from '../../../core/index.ts';
import { readSecret, readSecretText } from '../../plugin-options/read-secret.ts';
import { readMailAddress } from './address.ts';
import type { MailAddress } from './address.ts';
import type { SmtpOptions } from './options.ts';
import { isUnknownMailbox, mailProblem } from './mail-problem.ts';
import { inSession } from './smtp-session.ts';
import type { SmtpServer } from './smtp-session.ts';

/** The parts of nodemailer that are used. */
interface Nodemailer {
  readonly Composer: typeof MailComposer;
  readonly Connection: typeof SMTPConnection;
}

/** Sends notices by mail (RFC 5321) as plain text (RFC 5322), each in a separate session. */
export class SmtpNotifier implements Notifier {
  readonly name = 'smtp';
  readonly reaches = 'both';
  readonly #nodemailer: Nodemailer;
  readonly #server: SmtpServer;
  readonly #from: MailAddress;
  readonly #operators: readonly string[] | null;
  readonly #logger: Logger;

  private constructor(
    nodemailer: Nodemailer,
    server: SmtpServer,
    from: MailAddress,
    operators: readonly string[] | null,
    logger: Logger,
  ) {
    this.#nodemailer = nodemailer;
    this.#server = server;
    this.#from = from;
    this.#operators = operators;
    this.#logger = logger;
  }

  /** Reads the secrets; no connection is made. @throws TillgateError `CONFIG_INVALID` naming the field, or the package that is missing */
  static async open(options: SmtpOptions, logger: Logger): Promise<SmtpNotifier> {
    const { host, port, security, user, password, passwordFile, caFile } = options;
    const from = readMailAddress(options.from);
    if (from === null) throw new TillgateError('CONFIG_INVALID', 'from must be an address of mail.');
    const pass = passwordFile === undefined ? (password ?? null) : await readSecretText('passwordFile', passwordFile);
    const ca = caFile === undefined ? null : (await readSecret('caFile', caFile)).toString('utf8');
    const login = user === undefined || pass === null ? null : { user, pass };
    const server = { host, port, security, login, ca, clientName: from.domain };
    return new SmtpNotifier(await nodemailer(), server, from, options.operators ?? null, logger);
  }

  async send(message: NoticeMessage, signal: AbortSignal): Promise<NoticeOutcome> {
    const named = message.audience === 'operators' ? (this.#operators ?? message.to) : message.to;
    const to = named.map(readMailAddress).filter((address) => address !== null);
    if (to.length === 0)
      return { kind: 'failed', reason: named.length === 0 ? 'there is nobody to send it to' : 'no usable address' };
    try {
      const bytes = await this.#compose(message, to);
      const receivers = to.map(({ address }) => address);
      const { rejected } = await inSession(this.#nodemailer.Connection, this.#server, signal, (session) =>
        session.send(this.#from.address, receivers, bytes),
      );
      if (rejected.length > 0)
        this.#logger.warn('the mail server refused some of the receivers', { refused: rejected.length });
      return { kind: 'sent' };
    } catch (error) {
      return { kind: 'failed', reason: mailProblem(error, signal), final: isUnknownMailbox(error) };
    }
  }

  /** @throws Error with the reason why the server did not accept the mail, without a secret */
  async verify(signal: AbortSignal): Promise<string> {
    const { host, port, security, login } = this.#server;
    try {
      await inSession(this.#nodemailer.Connection, this.#server, signal, () => Promise.resolve());
    } catch (error) {
      throw new Error(`${host}:${port} does not accept mail: ${mailProblem(error, signal)}`, { cause: error });
    }
    return `${host}:${port} accepts mail (${security}${login === null ? '' : `, as ${login.user}`})`;
  }

  /** The Message-ID is the same at each attempt, so that a mail that arrives twice can be recognised. */
  #compose({ id, subject, text, at }: NoticeMessage, to: readonly MailAddress[]): Promise<Buffer> {
    const { name, address, domain } = this.#from;
    const mail = new this.#nodemailer.Composer({
      from: { name, address },
      to: to.map((each) => ({ name: each.name, address: each.address })),
      subject,
      text,
      date: new Date(at),
      messageId: `<${id}@${domain}>`,
      // RFC 3834: no automatic answers.
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return mail.compile().build();
  }
}

/** @throws TillgateError `CONFIG_INVALID` where the package is not installed */
async function nodemailer(): Promise<Nodemailer> {
  try {
    const [composer, connection] = await Promise.all([
      import('nodemailer/lib/mail-composer'),
      import('nodemailer/lib/smtp-connection'),
    ]);
    return { Composer: composer.default, Connection: connection.default };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = 'The package nodemailer is missing, which sends mail: npm install nodemailer';
    throw new TillgateError('CONFIG_INVALID', message, {}, error);
  }
}
