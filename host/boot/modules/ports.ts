import {
  AesGcmVault,
  JoseTokenIssuer,
  CryptoDigest,
  CryptoRandom,
  ScryptHasher,
} from '../../../adapters/crypto/index.ts';
import { Eventemitter3Bus } from '../../../adapters/events/index.ts';
import { AnchoredClock, SystemClock, deadline } from '../../../adapters/system/index.ts';
import type { Clock, Logger } from '../../../core/index.ts';
import { BUILT_IN_PRICE_IDS } from '../../../plugins/prices.ts';
import { LazyCallbackTransport, breachedPasswords, rateSource } from '../../http/lazy-edges.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** The till's own implementations of the ports, except storage, logger and metrics, which are opened earlier. */
export const portRecipes = {
  clock: recipe(['logger'], ({ logger }) => systemClock(logger)),
  ids: recipe(['workerId'], ({ workerId }) => workerId),
  random: recipe([], () => new CryptoRandom()),
  digest: recipe([], () => new CryptoDigest()),
  vault: recipe(['masterKeys'], ({ masterKeys }) => new AesGcmVault(masterKeys)),
  passwordHasher: recipe([], () => new ScryptHasher()),
  breachedPasswords: recipe(['config', 'logger'], ({ config: { auth }, logger }) =>
    breachedPasswords(auth.breachedPasswords, logger),
  ),
  tokenIssuer: recipe(['masterKeys'], ({ masterKeys }) => new JoseTokenIssuer(masterKeys)),
  signer: recipe(['wallet'], ({ wallet }) => wallet.signer),
  events: recipe(['logger'], ({ logger }) => new Eventemitter3Bus(logger)),
  deadline: recipe([], () => deadline),
  rates: recipe(['config', 'clock', 'plugins'], ({ config, clock, plugins }) => [
    ...config.rateSources.map((setting) => rateSource(setting, clock, { ...BUILT_IN_PRICE_IDS, ...plugins.priceIds })),
    ...plugins.rateSources,
  ]),
  callbackTransport: recipe(['config', 'clock', 'disposables'], ({ config: { callbacks }, clock, disposables }) => {
    const transport = new LazyCallbackTransport(clock, callbacks);
    disposables.add('callback transport', () => transport.close());
    return transport;
  }),
  chains: recipe(['plugins'], ({ plugins }) => plugins.chains),
  lightning: recipe(['plugins'], ({ plugins }) => plugins.lightning),
  changeFeed: recipe(['storage'], ({ storage }) => storage.feed),
  keyDirectory: recipe(['keyCache'], ({ keyCache }) => keyCache),
} satisfies Recipes;

function systemClock(logger: Logger): Clock {
  const machine = new SystemClock({
    onJump: ({ differenceMs }) =>
      logger.warn('the wall clock jumped and is not followed; restart to accept its time', { differenceMs }),
  });
  return new AnchoredClock(machine);
}
