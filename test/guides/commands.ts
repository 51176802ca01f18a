/** A command runs in a file, which has this text of it; or it is not run, for a reason. */
export type Fate = { readonly by: string; readonly as: string } | { readonly notRun: string };

const by = (file: string, as: string): Fate => ({ by: file, as });
const notRun = (reason: string): Fate => ({ notRun: reason });

const PRINTED = 'test/examples/printed-commands.test.ts';
const SERVICE = by('test/examples/service-guide.test.ts', '## As a service');
const SERVER = 'test/nodes/server-package.test.ts';
const SELF_HOST = 'test/examples/self-host.test.ts';
const LEDGER = 'test/host/cli-ledger.test.ts';
const RESTORE = 'test/e2e/restore-drill.ts';
const APPLICATIONS = 'test/frameworks/application.ts';
const EMBEDDED = 'test/examples/embed.test.ts';

/** Every command of every guide; `*` stands for any text. The first that fits counts. */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Fate>>>> = {
  'README.md': {
    'npx @tillgate/server init': by(SERVER, "['init', "),
    'npx @tillgate/server serve': by(SERVER, "'serve'"),
    'npm ci && npm start': by('test/host/till-process.ts', "['serve']"),
    'npm ci && npm test': by('.ci/run', 'step npm test'),
    'KEY=*': by(PRINTED, 'README_STEPS'),
    'ID=*': by(PRINTED, 'README_STEPS'),
    'curl -s http://localhost:8080/*': by(PRINTED, 'README_STEPS'),
    'npm run --silent tillgate -- order show $ID': by(PRINTED, 'README_STEPS'),
    'npm run --silent tillgate -- ledger check': by(PRINTED, 'README_STEPS'),
  },
  'CONTRIBUTING.md': {
    'git clone *': notRun('the repository is there already'),
    'npm ci': by('.ci/run', 'step npm ci'),
    'npm start': by('test/host/till-process.ts', "['serve']"),
    'npm test': by('.ci/run', 'step npm test'),
    'npm run check': by('.ci/run', 'scripts.check'),
    'npm run format': notRun(
      'it rewrites the files of the repository; check:format compares them with what it would write',
    ),
    'npm test -- settle-order': by(PRINTED, "'CONTRIBUTING.md'"),
    'node --import tsx --test *': by(PRINTED, "'CONTRIBUTING.md'"),
    'CLIENTS=viem,curl npm run test:clients': notRun('it brings in client libraries, and is a run of tests by itself'),
    'npm run test:runtimes -- websocket': notRun(
      'it brings in other releases of Node, and is a run of tests by itself',
    ),
    'npm run test:watch': notRun('it ends with a key'),
    'node --inspect-brk *': notRun('it waits for a debugger'),
  },
  '.ci/server-package/README.md': {
    'npm install @tillgate/server': by(SERVER, "'npm', ['install'"),
    'npx tillgate init': by(SERVER, "['init', "),
    'npx tillgate serve': by(SERVER, "'serve'"),
  },
  'host/README.md': {
    'npm run --silent tillgate -- app create *': by('test/host/usage.test.ts', "'app', 'create'"),
    'curl -s https://eth.gate.example.com/ *': by('test/clients/curl/main.sh', 'curl -sS'),
    'npm run --silent tillgate -- key rotate *': by('test/host/gateway.test.ts', "'key', 'rotate'"),
    'npm run --silent tillgate -- key revoke *': by('test/host/gateway.test.ts', "'key', 'revoke'"),
    'export TILLGATE_MASTER_KEY=*': by(PRINTED, "'host/README.md'"),
    'npm run --silent tillgate -- migrate': by(PRINTED, "'host/README.md'"),
    'npm run --silent tillgate -- wallet init': by(PRINTED, "'host/README.md'"),
    'npm run --silent tillgate -- account create *': by(PRINTED, "'host/README.md'"),
    'npm run --silent tillgate -- credential create *': by(PRINTED, "'host/README.md'"),
    'npm run --silent tillgate -- doctor': by(PRINTED, "'host/README.md'"),
    'npm start': by(PRINTED, "'host/README.md'"),
  },
  'host/PEERS.md': {
    'npm install tillgate express knex sqlite3 *': by('test/package/install.test.ts', 'EMBED_PEERS'),
  },
  'examples/embed-express/README.md': {
    'npm install tillgate express knex sqlite3': by('test/package/install.test.ts', 'EMBED_PEERS'),
    'node --import tsx examples/embed-express/main.ts': by(EMBEDDED, "'embed-express'"),
    'curl -s -X POST localhost:3000/buy': by(EMBEDDED, '/buy'),
    'curl -s localhost:3000/orders/ID': by(EMBEDDED, '/orders/'),
    'curl -s localhost:3000/pay/sandbox/v1/pay *': by(EMBEDDED, '/pay/sandbox/v1/pay'),
  },
  'examples/embed-fetch/README.md': {
    'node --import tsx examples/embed-fetch/main.ts': by(EMBEDDED, "'embed-fetch'"),
    'curl -s localhost:3000/pay/api/order/pay-info *': by(EMBEDDED, 'createPayInfo'),
  },
  ...Object.fromEntries(
    ['fastify', 'hono', 'nest', 'next'].map((framework) => [
      `examples/embed-frameworks/${framework}/README.md`,
      {
        'npm install tillgate *': by('test/frameworks/install.sh', 'npm ci'),
        'curl -s -X POST localhost:3000/buy': by('test/frameworks/frameworks.test.ts', '/buy'),
        ...(framework === 'next'
          ? {
              'npx next build': by(APPLICATIONS, "next, 'build'"),
              'NEXT_MANUAL_SIG_HANDLE=true npx next start *': by(APPLICATIONS, "next, 'start'"),
            }
          : { 'npx tsx main.ts': by(APPLICATIONS, "'main.ts'") }),
      },
    ]),
  ),
  'examples/receive-callbacks/README.md': Object.fromEntries(
    ['typescript/main.ts', 'python/main.py', 'go/main.go', 'php/main.php'].map((program) => [
      `*CALLBACK_SECRET=whsec_… *examples/receive-callbacks/${program}`,
      by('test/receivers/receivers.test.ts', program),
    ]),
  ),
  'examples/self-host/README.md': {
    'node examples/self-host/backup.mjs *': by(SELF_HOST, "'backup.mjs'"),
    'pg_dump *': notRun('the PostgreSQL of the tests comes without it'),
    'systemctl stop tillgate': notRun('it needs systemd; the tests stop the server by the signal that the unit names'),
    'node examples/self-host/restore.mjs *': by(SELF_HOST, "'restore.mjs'"),
    'tillgate restore status*': by(RESTORE, "'restore', 'status'"),
    'tillgate restore confirm': by(RESTORE, "'restore', 'confirm'"),
    'tillgate restore coins BTC': by(RESTORE, "'restore', 'coins'"),
    'tillgate withdrawal settle *': by(RESTORE, "'withdrawal', 'settle'"),
    'tillgate withdrawal record *': by(RESTORE, "'withdrawal', 'record'"),
    'tillgate withdrawal approve ID': by('test/host/cli-money.test.ts', "'withdrawal', 'approve'"),
    'tillgate withdrawal reject ID *': by('test/host/cli-money.test.ts', "'withdrawal', 'reject'"),
    'tillgate ledger check': by(SELF_HOST, "'ledger', 'check'"),
    'tillgate ledger close *': by(LEDGER, "'close', '--before'"),
    'psql *': notRun('the PostgreSQL of the tests comes without it'),
    'pg_restore *': notRun('the PostgreSQL of the tests comes without it'),
    'tillgate ledger reopen *': by(LEDGER, "'reopen', '--month'"),
    'tillgate support-bundle': by('test/security/support-bundle.test.ts', "'support-bundle'"),
    'tillgate wallet reconcile': by(RESTORE, "'wallet', 'reconcile'"),
    'git clone *': SERVICE,
    'useradd *': SERVICE,
    'runuser *': SERVICE,
    'install *': SERVICE,
    '(umask 077; openssl *': SERVICE,
    'chown tillgate *': SERVICE,
    'systemctl daemon-reload && *': SERVICE,
    'tillgate init *': SERVICE,
    'systemctl enable --now tillgate': SERVICE,
    'tillgate account create *': SERVICE,
    'tillgate credential create *': SERVICE,
    'curl -s http://127.0.0.1:8080/readyz': SERVICE,
  },
  'examples/write-a-chain/README.md': {
    'npm test -- write-a-chain': by('test/runner/plan.ts', 'test/examples/write-a-chain'),
    'node --import tsx --test abacus.test.ts': by('test/examples/write-a-chain.test.ts', 'abacusHarness'),
    'npm i *': notRun('tillgate is not in the registry yet; test/nodes/server-package.test.ts installs the same list'),
    'node --import tsx node_modules/tillgate/dist/host/bin.js serve': notRun(
      'the packages stand in no project of a plugin; the example runs in the server of the sources, the packed server without it',
    ),
  },
};
