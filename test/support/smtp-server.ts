import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';

/** A received mail. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As sent, without the dots that were added (RFC 5321, section 4.5.2). */
  readonly raw: string;
  readonly encrypted: boolean;
  readonly user: string | null;
}

/** A faulty reaction to a command: a reply line, `hang` (no answer), or `close` (the connection). */
export type SmtpOddity = string | null;

/** Options of a {@link FakeSmtpServer}. */
export interface SmtpServerOptions {
  readonly certificate?: { readonly key: string; readonly cert: string };
  /** TLS from the first byte. */
  readonly implicitTls?: boolean;
  /** True by default if a certificate is given. */
  readonly offersStarttls?: boolean;
  /** The only user who may send; without it anybody may. */
  readonly user?: { readonly name: string; readonly password: string };
  /** Offered mechanisms. */
  readonly mechanisms?: readonly ('PLAIN' | 'LOGIN')[];
}

/** A local mail server for RFC 5321, 3207 (STARTTLS) and 4954 (AUTH). */
export class FakeSmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Every received line, and whether it was encrypted. */
  readonly lines: { readonly line: string; readonly encrypted: boolean }[] = [];
  /**
   * Called before each command. `BANNER` stands for the greeting, `DATA-END` for the end of a message, `DATA-TAKEN` for
   * the reply to an accepted one.
   */
  odd: (command: string, line: string) => SmtpOddity = () => null;
  connections = 0;
  readonly #options: SmtpServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: SmtpServerOptions = {}) {
    this.#options = options;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#sockets.size;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    const { implicitTls = false } = this.#options;
    new Session(this, this.#options, implicitTls ? this.secured(socket) : socket, implicitTls).greet();
  }

  secured(socket: Socket): TLSSocket {
    const { certificate } = this.#options;
    if (certificate === undefined) throw new Error('the server has no certificate');
    const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
    secure.on('error', () => undefined);
    return secure;
  }
}

type Await = 'command' | 'data' | 'auth-plain' | 'auth-user' | 'auth-password';

class Session {
  readonly #server: FakeSmtpServer;
  readonly #options: SmtpServerOptions;
  #socket: Socket;
  #encrypted: boolean;
  #buffer = '';
  #awaits: Await = 'command';
  #greeted = false;
  #user: string | null = null;
  #loginName = '';
  #from: string | null = null;
  #to: string[] = [];
  #data: string[] = [];

  constructor(server: FakeSmtpServer, options: SmtpServerOptions, socket: Socket, encrypted: boolean) {
    this.#server = server;
    this.#options = options;
    this.#socket = socket;
    this.#encrypted = encrypted;
    this.#read();
  }

  greet(): void {
    this.#answer('BANNER', '', '220 mail.test ESMTP');
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#buffer += chunk.toString('latin1');
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end < 0) return;
      const line = this.#buffer.slice(0, end);
      this.#buffer = this.#buffer.slice(end + 2);
      this.#server.lines.push({ line, encrypted: this.#encrypted });
      this.#line(line);
    }
  };

  #read(): void {
    this.#socket.on('data', this.#onData);
  }

  #line(line: string): void {
    if (this.#awaits === 'data') this.#dataLine(line);
    else if (this.#awaits === 'command') this.#command(line);
    else this.#credential(line, this.#awaits);
  }

  #command(line: string): void {
    const command = line.split(' ')[0]?.toUpperCase() ?? '';
    const handler = COMMANDS[command];
    this.#answer(command, line, handler === undefined ? '502 command not implemented' : handler.call(this, line));
  }

  /** Replies, unless the test overrides the reply; `''` for a reply that was given already. */
  #answer(command: string, line: string, reply: string): void {
    const oddity = this.#server.odd(command, line);
    if (oddity === 'hang') return;
    if (oddity === 'close') return void this.#socket.destroy();
    if (oddity !== null) {
      this.#awaits = 'command';
      this.#socket.write(`${oddity}\r\n`);
      return;
    }
    if (reply !== '') this.#socket.write(`${reply}\r\n`);
    if (command === 'STARTTLS' && reply.startsWith('220')) this.#startTls();
    if (command === 'QUIT') this.#socket.end();
  }

  ehlo(): string {
    const {
      certificate,
      offersStarttls = certificate !== undefined,
      user,
      mechanisms = ['PLAIN', 'LOGIN'],
    } = this.#options;
    this.#greeted = true;
    this.#reset();
    const extensions = [
      'PIPELINING',
      '8BITMIME',
      ...(offersStarttls && !this.#encrypted ? ['STARTTLS'] : []),
      ...(user === undefined ? [] : [`AUTH ${mechanisms.join(' ')}`]),
    ];
    return ['mail.test', ...extensions]
      .map((each, at) => `250${at === extensions.length ? ' ' : '-'}${each}`)
      .join('\r\n');
  }

  starttls(): string {
    if (this.#encrypted || this.#options.certificate === undefined) return '503 bad sequence of commands';
    return '220 ready to start TLS';
  }

  auth(line: string): string {
    const [, mechanism = '', initial] = line.split(' ');
    if (!this.#greeted || this.#options.user === undefined) return '503 bad sequence of commands';
    if (mechanism.toUpperCase() === 'PLAIN') {
      if (initial !== undefined) return this.#plain(initial);
      this.#awaits = 'auth-plain';
      return '334 ';
    }
    if (mechanism.toUpperCase() !== 'LOGIN') return '504 unrecognized authentication type';
    this.#awaits = 'auth-user';
    return '334 VXNlcm5hbWU6';
  }

  mail(line: string): string {
    const [, from] = /^MAIL FROM:<([^>]*)>/i.exec(line) ?? [];
    if (!this.#greeted || this.#from !== null) return '503 bad sequence of commands';
    if (this.#options.user !== undefined && this.#user === null) return '530 5.7.0 authentication required';
    if (from === undefined) return '501 syntax error';
    this.#from = from;
    return '250 2.1.0 ok';
  }

  rcpt(line: string): string {
    const [, to] = /^RCPT TO:<([^>]+)>/i.exec(line) ?? [];
    if (this.#from === null) return '503 bad sequence of commands';
    if (to === undefined) return '501 syntax error';
    // Counted only when the test does not override the reply.
    if (this.#server.odd('RCPT', line) === null) this.#to.push(to);
    return '250 2.1.5 ok';
  }

  data(): string {
    if (this.#to.length === 0) return '503 bad sequence of commands';
    this.#awaits = 'data';
    return '354 end data with <CR><LF>.<CR><LF>';
  }

  rset(): string {
    this.#reset();
    return '250 ok';
  }

  #dataLine(line: string): void {
    if (line !== '.') {
      this.#data.push(line.startsWith('.') ? line.slice(1) : line);
      const oddity = this.#server.odd('DATA-LINE', line);
      if (oddity === 'close') this.#socket.destroy();
      return;
    }
    this.#awaits = 'command';
    const mail = { from: this.#from ?? '', to: this.#to, raw: this.#data.join('\r\n') };
    this.#reset();
    if (this.#server.odd('DATA-END', '') !== null) {
      this.#answer('DATA-END', '', '');
      return;
    }
    this.#server.mails.push({ ...mail, encrypted: this.#encrypted, user: this.#user });
    this.#answer('DATA-TAKEN', '', '250 2.0.0 queued');
  }

  #credential(line: string, awaited: Await): void {
    const text = Buffer.from(line, 'base64').toString();
    this.#awaits = 'command';
    if (awaited === 'auth-plain') this.#answer('AUTH-END', line, this.#plain(line));
    else if (awaited === 'auth-password') this.#answer('AUTH-END', line, this.#judge(this.#loginName, text));
    else {
      this.#loginName = text;
      this.#awaits = 'auth-password';
      this.#socket.write('334 UGFzc3dvcmQ6\r\n');
    }
  }

  #plain(encoded: string): string {
    const [, name = '', password = ''] = Buffer.from(encoded, 'base64').toString().split('\0');
    return this.#judge(name, password);
  }

  #judge(name: string, password: string): string {
    const { user } = this.#options;
    if (user?.name !== name || user.password !== password) return '535 5.7.8 authentication credentials invalid';
    this.#user = name;
    return '235 2.7.0 authentication successful';
  }

  #startTls(): void {
    this.#socket.removeListener('data', this.#onData);
    this.#socket = this.#server.secured(this.#socket);
    this.#encrypted = true;
    // RFC 3207, section 4.2: everything before TLS is discarded.
    this.#buffer = '';
    this.#greeted = false;
    this.#reset();
    this.#read();
  }

  #reset(): void {
    this.#from = null;
    this.#to = [];
    this.#data = [];
  }
}

const COMMANDS: Readonly<Record<string, (this: Session, line: string) => string>> = {
  EHLO: Session.prototype.ehlo,
  HELO: Session.prototype.ehlo,
  STARTTLS: Session.prototype.starttls,
  AUTH: Session.prototype.auth,
  MAIL: Session.prototype.mail,
  RCPT: Session.prototype.rcpt,
  DATA: Session.prototype.data,
  RSET: Session.prototype.rset,
  NOOP: () => '250 ok',
  QUIT: () => '221 bye',
};
