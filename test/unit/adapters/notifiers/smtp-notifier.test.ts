import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';
import { parseSmtpOptions, SmtpNotifier } from '../../../../adapters/notifiers/index.ts';
import { isTillgateError } from '../../../../core/index.ts';
import type { NoticeId, NoticeMessage } from '../../../../core/index.ts';
import { MemoryLogger } from '../../../support/fakes.ts';
import { FakeSmtpServer } from '../../../support/smtp-server.ts';
import type { SmtpServerOptions } from '../../../support/smtp-server.ts';
import { waitFor } from '../../../support/wait.ts';
import { selfSigned } from '../callbacks/certificate.ts';

const USER = { name: 'till', password: 'p4ss wörd "quoted"' };
const FROM = 'Shop <till@shop.example>';
const certificate = selfSigned('localhost');
const never = new AbortController().signal;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tillgate-smtp-'));
  writeFileSync(join(folder, 'password'), `${USER.password}\n`);
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
});
after(() => rmSync(folder, { recursive: true, force: true }));

const message = (given: Partial<NoticeMessage> = {}): NoticeMessage => ({
  ...{ id: '1530219844911046800' as NoticeId, type: 'security.changed', audience: 'account' },
  ...{ to: ['owner@merchant.example'], subject: 'A passkey was added', text: 'Line one\n.dotted line\nÄ', at: 0 },
  ...given,
});

async function serve(t: TestContext, options: SmtpServerOptions = {}): Promise<FakeSmtpServer> {
  const server = new FakeSmtpServer(options);
  await server.listen();
  t.after(() => server.close());
  return server;
}

const notifierTo = ({ port }: FakeSmtpServer, given: object = {}, logger = new MemoryLogger()): Promise<SmtpNotifier> =>
  SmtpNotifier.open(
    parseSmtpOptions({
      ...{ host: 'localhost', port, security: 'starttls', from: FROM, caFile: join(folder, 'ca.pem') },
      ...given,
    }),
    logger,
  );
const withLogin = () => ({ user: USER.name, passwordFile: join(folder, 'password') });
const plain = { host: '127.0.0.1', security: 'none-loopback-only', caFile: undefined };
const headerIn = (raw: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.split('\r\n\r\n')[0]!.replace(/\r\n[ \t]/g, ' '))?.[1]?.trim();

for (const mechanism of ['PLAIN', 'LOGIN'] as const)
  test(`a mail goes out over STARTTLS after a login by AUTH ${mechanism}, with a Message-ID from the notice's id`, async (t) => {
    const server = await serve(t, { certificate, user: USER, mechanisms: [mechanism] });
    const notifier = await notifierTo(server, withLogin());
    assert.deepEqual(await notifier.send(message(), never), { kind: 'sent' });
    const [mail, ...others] = server.mails;
    assert.equal(others.length, 0);
    const { raw, ...envelope } = mail!;
    assert.deepEqual(envelope, {
      ...{ from: 'till@shop.example', to: ['owner@merchant.example'], encrypted: true, user: USER.name },
    });
    assert.equal(headerIn(raw, 'Message-ID'), '<1530219844911046800@shop.example>');
    assert.equal(headerIn(raw, 'Subject'), 'A passkey was added');
    assert.equal(headerIn(raw, 'From'), 'Shop <till@shop.example>');
    assert.equal(headerIn(raw, 'Date'), 'Thu, 01 Jan 1970 00:00:00 +0000');
    assert.equal(headerIn(raw, 'Auto-Submitted'), 'auto-generated');
    assert.match(headerIn(raw, 'Content-Type')!, /^text\/plain; charset=utf-8/);
    assert.match(raw, /\r\n\r\nLine one\r\n\.dotted line\r\n=C3=84/);
  });

test('a mail goes out over TLS from the first byte, and the server is asked without a mail by verify', async (t) => {
  const server = await serve(t, { certificate, implicitTls: true, user: USER });
  const notifier = await notifierTo(server, { security: 'tls', ...withLogin() });
  const words = await notifier.verify(never);
  assert.match(words, /^localhost:\d+ accepts mail \(tls, as till\)$/);
  assert.equal(server.mails.length, 0);
  assert.equal((await notifier.send(message(), never)).kind, 'sent');
  assert.ok(server.lines.every(({ encrypted }) => encrypted));
});

test('fault 219: a server that offers no STARTTLS, or whose offer is taken away on the way, gets neither password nor mail', async (t) => {
  for (const options of [{ user: USER }, { certificate, offersStarttls: false, user: USER }]) {
    const server = await serve(t, options);
    server.odd = (command) => (command === 'STARTTLS' ? '502 command not implemented' : null);
    const outcome = await (await notifierTo(server, withLogin())).send(message(), never);
    assert.equal(outcome.kind, 'failed');
    const said = server.lines.map(({ line }) => line).join('\n');
    assert.ok(!/AUTH|MAIL/.test(said), said);
    assert.equal(server.mails.length, 0);
  }
});

test('fault 219: a certificate that is not trusted, or is of another host, gets neither password nor mail', async (t) => {
  const foreign = selfSigned('localhost');
  const other = selfSigned('mail.other.example');
  writeFileSync(join(folder, 'other.pem'), other.cert);
  const cases = [
    [foreign, {}],
    [certificate, { caFile: undefined }],
    [other, { caFile: join(folder, 'other.pem') }],
  ] as const;
  for (const [own, given] of cases)
    for (const implicitTls of [true, false]) {
      const server = await serve(t, { certificate: own, implicitTls, user: USER });
      const notifier = await notifierTo(server, {
        security: implicitTls ? 'tls' : 'starttls',
        ...withLogin(),
        ...given,
      });
      const outcome = await notifier.send(message(), never);
      assert.deepEqual([outcome.kind, 'reason' in outcome && outcome.reason], ['failed', 'TLS failed']);
      assert.ok(!server.lines.some(({ line, encrypted }) => encrypted || /AUTH|MAIL/.test(line)));
    }
});

test('fault 209: a subject, a text or an address cannot write a header, a command or another receiver', async (t) => {
  const server = await serve(t);
  const notifier = await notifierTo(server, plain);
  const subject = 'Hello\r\nBcc: all@example.com\r\n\r\nbody';
  const text = 'Text\r\n.\r\nMAIL FROM:<evil@example.com>\r\nBcc: all@example.com';
  assert.equal((await notifier.send(message({ subject, text }), never)).kind, 'sent');
  const { raw, to } = server.mails[0]!;
  assert.deepEqual(to, ['owner@merchant.example']);
  assert.equal(headerIn(raw, 'Bcc'), undefined);
  assert.equal(
    server.lines.filter(({ line }) => line.startsWith('MAIL FROM')).length,
    1 + 1,
    'once as text of the mail',
  );
  for (const address of [
    'a@b.example,c@d.example',
    'a@b.example>\r\nRCPT TO:<c@d.example',
    '<a@b.example',
    'a b@c.example',
    '',
  ]) {
    const outcome = await notifier.send(message({ to: [address] }), never);
    assert.deepEqual(outcome, { kind: 'failed', reason: 'no usable address' }, address);
  }
  assert.equal(server.mails.length, 1);
});

test('operators get one mail: at the addresses of the options, else at those of the active admins', async (t) => {
  const server = await serve(t);
  const admins = { audience: 'operators', to: ['a@x.example', 'b@x.example'] } as const;
  await (await notifierTo(server, plain)).send(message(admins), never);
  await (await notifierTo(server, { ...plain, operators: ['Desk <desk@x.example>'] })).send(message(admins), never);
  assert.deepEqual(
    server.mails.map(({ to }) => to),
    [admins.to, ['desk@x.example']],
  );
  assert.equal(headerIn(server.mails[1]!.raw, 'To'), 'Desk <desk@x.example>');
  const nobody = await (await notifierTo(server, plain)).send(message({ audience: 'operators', to: [] }), never);
  assert.deepEqual(nobody, { kind: 'failed', reason: 'there is nobody to send it to' });
});

test('what a server refuses is told by its code alone; only an unknown mailbox is final, and one receiver that is taken is enough', async (t) => {
  const server = await serve(t, { certificate, user: USER });
  const logger = new MemoryLogger();
  const notifier = await notifierTo(server, withLogin(), logger);
  const cases = [
    ['AUTH', '454 4.7.0 temporary failure', 'the login was refused (454)', false],
    ['MAIL', '451 4.3.0 try later', 'the mail was refused (451)', false],
    ['RCPT', '450 4.2.0 greylisted', 'the mail was refused (450)', false],
    ['RCPT', '550 5.7.1 relaying denied secret@owner', 'the mail was refused (550)', false],
    ['RCPT', '550 5.1.1 no such user', 'the mail was refused (550)', true],
    ['DATA', '554 5.5.1 no', 'the mail was refused (554)', false],
    ['DATA-END', '451 4.3.0 disk full', 'the mail was refused (451)', false],
    ['DATA-END', '554 5.7.1 looks like spam', 'the mail was refused (554)', false],
    ['BANNER', '421 4.3.2 not now', null, false],
    ['DATA-LINE', 'close', 'the connection was lost', false],
    ['MAIL', 'close', 'the connection was lost', false],
  ] as const;
  for (const [at, answer, reason, final] of cases) {
    server.odd = (command) => (command === at ? answer : null);
    const outcome = await notifier.send(message(), never);
    assert.equal(outcome.kind, 'failed', `${at} ${answer}`);
    if (outcome.kind !== 'failed') continue;
    if (reason !== null) assert.equal(outcome.reason, reason, `${at} ${answer}`);
    assert.equal(outcome.final, final, `${at} ${answer}`);
  }
  assert.equal(server.mails.length, 0);
  server.odd = (command, line) => (command === 'RCPT' && line.includes('gone') ? '550 5.1.1 no such user' : null);
  const several = message({ to: ['gone@x.example', 'here@x.example'] });
  assert.equal((await notifier.send(several, never)).kind, 'sent');
  assert.deepEqual(server.mails[0]?.to, ['here@x.example']);
  assert.ok(logger.lines.some(({ fields }) => fields['refused'] === 1));
  assert.ok(!JSON.stringify(logger.lines).includes('gone@'));
});

test('a wrong password is refused, and neither it nor the right one is in what is said of it', async (t) => {
  const server = await serve(t, { certificate, user: { ...USER, password: 'other' } });
  const notifier = await notifierTo(server, withLogin());
  assert.deepEqual(await notifier.send(message(), never), {
    kind: 'failed',
    reason: 'the login was refused (535)',
    final: false,
  });
  await assert.rejects(notifier.verify(never), (error: Error) => {
    assert.match(error.message, /does not accept mail: the login was refused \(535\)$/);
    return !error.message.includes(USER.password);
  });
});

test('fault 207: a server that says nothing, at whatever command, is left at the deadline, and its connection ends', async (t) => {
  const server = await serve(t, { certificate, user: USER });
  const notifier = await notifierTo(server, withLogin());
  for (const at of ['BANNER', 'EHLO', 'STARTTLS', 'AUTH', 'MAIL', 'DATA', 'DATA-END']) {
    server.odd = (command) => (command === at ? 'hang' : null);
    const deadline = new AbortController();
    const sending = notifier.send(message(), deadline.signal);
    setTimeout(() => deadline.abort(), 150);
    const outcome = await sending;
    assert.deepEqual([outcome.kind, 'reason' in outcome && outcome.reason], ['failed', 'timeout'], at);
    await waitFor(() => server.open === 0, { timeoutMs: 3_000, describe: () => `the connection to end after ${at}` });
  }
  assert.equal(server.mails.length, 0);
});

test('a server that is not there, and a name that does not exist, are failed attempts', async (t) => {
  const server = await serve(t);
  const notifier = await notifierTo(server, plain);
  await server.close();
  assert.deepEqual(await notifier.send(message(), never), {
    kind: 'failed',
    reason: 'the server cannot be reached',
    final: false,
  });
});

test('options name the field that is wrong and repeat no value; without TLS only a server of this machine is asked', () => {
  const good = { host: 'mail.example.com', from: 'till@example.com' };
  assert.deepEqual(parseSmtpOptions(good), { ...good, security: 'tls', port: 465 });
  assert.equal(parseSmtpOptions({ ...good, security: 'starttls' }).port, 587);
  assert.equal(parseSmtpOptions({ ...good, host: '::1', security: 'none-loopback-only' }).port, 25);
  const refused = (given: object): readonly string[] => {
    try {
      parseSmtpOptions({ ...good, ...given });
    } catch (error) {
      assert.ok(isTillgateError(error, 'CONFIG_INVALID'));
      assert.ok(!error.message.includes('s3cret'));
      return (error.details.fields ?? []).map(({ path }) => path);
    }
    return [];
  };
  assert.deepEqual(refused({ security: 'none-loopback-only' }), ['security']);
  assert.deepEqual(refused({ security: 'none' }), ['security']);
  assert.deepEqual(refused({ host: 'smtp://user:s3cret@mail.example.com' }), ['host']);
  assert.deepEqual(refused({ from: 'till@example.com\r\nBcc: x@example.com' }), ['from']);
  assert.deepEqual(refused({ from: 'a@b.example, c@d.example' }), ['from']);
  assert.deepEqual(refused({ operators: ['nobody'] }), ['operators.0']);
  assert.deepEqual(refused({ operators: [] }), ['operators']);
  assert.deepEqual(refused({ user: 'till' }), ['user']);
  assert.deepEqual(refused({ user: 'till', password: 's3cret' }), []);
  assert.deepEqual(refused({ user: 'till', password: 's3cret', passwordFile: 'x' }), ['passwordFile']);
  assert.deepEqual(refused({ passwordFile: 'x' }), ['user']);
  assert.deepEqual(refused({ password: 's3cret' }), ['user']);
  assert.deepEqual(refused({ port: 0 }), ['port']);
});

test('a password file that cannot be read is named by its setting', async () => {
  const options = parseSmtpOptions({ host: 'localhost', from: FROM, user: 'x', passwordFile: join(folder, 'none') });
  await assert.rejects(SmtpNotifier.open(options, new MemoryLogger()), (error: Error) => {
    assert.match(error.message, /^The file named by passwordFile cannot be read \(ENOENT\)\.$/);
    return !error.message.includes(folder);
  });
});
