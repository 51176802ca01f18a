import {
  Authenticate,
  CreateAccount,
  CreateCredential,
  ExchangeToken,
  RefusedAttempts,
  SecondFactor,
} from '../../../core/index.ts';
import { recipe } from '../parts.ts';
import type { Recipes } from '../parts.ts';

/** Accounts, their credentials and authorization. */
export const accountRecipes = {
  createAccount: recipe(
    ['storage', 'vault', 'random', 'clock', 'passwordHasher', 'breachedPasswords', 'ids'],
    ({ passwordHasher: hasher, ...ports }) => new CreateAccount({ ...ports, hasher }),
  ),
  createCredential: recipe(['storage', 'vault', 'random', 'clock', 'ids'], (ports) => new CreateCredential(ports)),
  authenticate: recipe(
    ['config', 'storage', 'vault', 'digest', 'tokenIssuer', 'clock'],
    ({ config: { auth }, tokenIssuer: tokens, ...ports }) =>
      new Authenticate({ ...ports, tokens, clockSkewMs: auth.clockSkewMs }),
  ),
  exchangeToken: recipe(
    ['config', 'storage', 'passwordHasher', 'tokenIssuer', 'clock', 'refusedAttempts'],
    ({ config: { auth }, passwordHasher: hasher, tokenIssuer: tokens, ...ports }) =>
      new ExchangeToken({ ...ports, hasher, tokens, tokenTtlSeconds: auth.tokenTtlSeconds }),
  ),
  refusedAttempts: recipe(['storage', 'clock', 'ids'], (ports) => new RefusedAttempts(ports)),
  secondFactor: recipe(
    ['config', 'storage', 'vault', 'random', 'digest', 'clock', 'ids', 'refusedAttempts'],
    ({ config: { serviceName: issuer }, ...ports }) => new SecondFactor({ ...ports, issuer }),
  ),
} satisfies Recipes;
