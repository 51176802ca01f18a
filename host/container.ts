import 'reflect-metadata';
import { Container, ContainerModule } from 'inversify';
import { PORTS, storageWithEvents, TillgateError } from '../core/index.ts';
import type { Storage, Manage, NoticeChannel, PortReplacements, PortWrappers, Ports } from '../core/index.ts';
import { eventPresenter } from '../adapters/http/event-data.ts';
import { accountRecipes } from './modules/accounts.ts';
import { callbackRecipes } from './modules/callbacks.ts';
import { gatewayRecipes } from './modules/gateway.ts';
import { lightningRecipes } from './modules/lightning.ts';
import { manageRecipes } from './modules/manage.ts';
import { orderRecipes } from './modules/orders.ts';
import { noticeRecipes } from './modules/notices.ts';
import { payoutRecipes } from './modules/payouts.ts';
import { portRecipes } from './modules/ports.ts';
import { tokenOf } from './parts.ts';
import type { GivenParts, Parts, Recipe, Recipes } from './parts.ts';
import { NO_PLUGINS } from './plugin-registry.ts';

/** The recipes of every area. */
export const AREAS: readonly Recipes[] = [
  portRecipes,
  accountRecipes,
  orderRecipes,
  payoutRecipes,
  lightningRecipes,
  callbackRecipes,
  noticeRecipes,
  gatewayRecipes,
  manageRecipes,
];

/** What a till does differently from the ordinary: ports of the embedder's own, or ports that are wrapped. */
export interface PortOverrides {
  readonly replace?: PortReplacements;
  readonly wrap?: PortWrappers;
}

/** What exists before the container. */
export type Infrastructure = Pick<
  GivenParts,
  'config' | 'masterKeys' | 'feedLeaseMs' | 'disposables' | 'storage' | 'logger' | 'metrics' | 'tracing'
>;

/** Made by {@link createContainer}; only this file takes parts out of it. */
export type TillContainer = Container;

/**
 * The container of one till: one module for each area, each part made once. {@link provide} adds what is opened later.
 *
 * @throws TillgateError `CONFIG_INVALID` for a replacement whose name is not a port's
 */
export function createContainer(
  infrastructure: Infrastructure,
  { replace = {}, wrap = {} }: PortOverrides = {},
): TillContainer {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(...AREAS.map(moduleOf));
  provide(container, infrastructure);
  // Before the wrappers: what they see is what the parts ask for.
  container.onActivation<Storage>(tokenOf('storage'), (_context, storage) => withEvents(container, storage));
  for (const name of portNames(replace)) replacePort(container, name, replace[name]);
  for (const name of portNames(wrap)) wrapPort(container, name, wrap[name]);
  return container;
}

/** The other parts exist by the time of the first event. */
function withEvents(container: Container, storage: Storage): Storage {
  const part = <Name extends keyof Parts>(name: Name): Parts[Name] => container.get(tokenOf(name));
  return storageWithEvents(storage, {
    ids: { next: () => part('ids').next() },
    clock: { now: () => part('clock').now() },
    events: {
      emit: (name, event) => part('events').emit(name, event),
      on: (name, listener) => part('events').on(name, listener),
    },
    presenter: eventPresenter({ find: (currency) => part('assets').find(currency) }),
    notices: {
      // A transaction before the plugins are set up concerns nobody yet.
      channels: () => (container.isBound(tokenOf('plugins')) ? part('noticeSettings').channels() : []),
      amount: (currency, units) => part('noticeSettings').amount(currency, units),
    },
  });
}

function moduleOf(recipes: Recipes): ContainerModule {
  return new ContainerModule(({ bind }) => {
    for (const [name, { needs, make }] of Object.entries(recipes) as [keyof Parts, Recipe<unknown>][]) {
      const made = (...values: unknown[]): unknown =>
        make(Object.fromEntries(needs.map((need, index) => [need, values[index]])) as unknown as Parts);
      bind<unknown>(tokenOf(name)).toResolvedValue(made, needs.map(tokenOf));
    }
  });
}

function portNames(ports: object): readonly (keyof Ports)[] {
  return Object.keys(ports).map((name) => {
    if (Object.hasOwn(PORTS, name)) return name as keyof Ports;
    throw new TillgateError(
      'CONFIG_INVALID',
      `replace.${name} is not a port; the ports are ${Object.keys(PORTS).join(', ')}.`,
    );
  });
}

function replacePort<Name extends keyof Ports>(container: Container, name: Name, port: Ports[Name] | undefined): void {
  if (port !== undefined) container.rebind(tokenOf(name)).toConstantValue(port as Parts[Name]);
}

function wrapPort<Name extends keyof Ports>(container: Container, name: Name, wrapper: PortWrappers[Name]): void {
  if (wrapper !== undefined) container.onActivation<Ports[Name]>(tokenOf(name), (_context, port) => wrapper(port));
}

/** Adds values that were opened, each once. */
export function provide(container: TillContainer, values: Partial<GivenParts>): void {
  for (const [name, value] of Object.entries(values))
    container.bind<unknown>(tokenOf(name as keyof Parts)).toConstantValue(value);
}

/** The ports with which the rest of a till is opened. */
export type OpeningPorts = Pick<Ports, 'storage' | 'clock' | 'vault' | 'random' | 'events'>;

export function openingPorts(container: TillContainer): OpeningPorts {
  return take(container, ['storage', 'clock', 'vault', 'random', 'events']);
}

/** The ports that plugins use; `workerId` and `wallet` must be there. */
export function pluginPorts(container: TillContainer): Pick<Ports, 'storage' | 'clock' | 'logger' | 'signer'> {
  return take(container, ['storage', 'clock', 'logger', 'signer']);
}

/**
 * The management use cases, for a command that needs no plugin.
 *
 * @param noticeChannels - the notifiers that the server has: what the command changes is told by them
 */
export function resolveManage(container: TillContainer, noticeChannels: readonly NoticeChannel[]): Manage {
  provide(container, { plugins: { ...NO_PLUGINS, noticeChannels }, baseUrl: { url: '' } });
  return take(container, ['manage']).manage;
}

const TILL_PARTS = [
  'storage',
  'clock',
  'logger',
  'events',
  'metrics',
  'tracing',
  'digest',
  'ids',
  'passwordHasher',
  'chains',
  'assets',
  'rateBook',
  'addressPool',
  'createAccount',
  'createCredential',
  'createOrder',
  'choosePayment',
  'orderQueries',
  'requestWithdrawal',
  'requestPull',
  'requestRefund',
  'lightningService',
  'lightningWork',
  'payouts',
  'walletQueries',
  'orderAdminActions',
  'expireOrders',
  'deliverCallbacks',
  'deliverNotices',
  'dailySummary',
  'tidyNotices',
  'watchLedger',
  'chainReports',
  'followers',
  'authenticate',
  'exchangeToken',
  'workerId',
  'keyCache',
  'rateLimitSync',
  'usageRecorder',
  'topUps',
  'linkSales',
  'vault',
  'random',
  'gateway',
  'manage',
  'wallet',
  'refusedAttempts',
  'storeAlerts',
] as const satisfies readonly (keyof Parts)[];

/** The parts of a till that the server, the workers, the commands and embedders use. */
export type Till = Pick<Parts, (typeof TILL_PARTS)[number]>;

/** Takes a whole till out of its container; everything that is opened must be there. */
export function resolveTill(container: TillContainer): Till {
  return take(container, TILL_PARTS);
}

function take<Name extends keyof Parts>(container: Container, names: readonly Name[]): Pick<Parts, Name> {
  return Object.fromEntries(names.map((name) => [name, container.get(tokenOf(name))])) as Pick<Parts, Name>;
}
