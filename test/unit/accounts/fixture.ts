import { CreateAccount, CreateCredential, RotateCallbackCredential } from '../../../core/index.ts';
import type { Account, NewCredential } from '../../../core/index.ts';
import { FakeClock, FakeIds, FakeVault, QuickHasher, SeededRandom } from '../../support/fakes.ts';
import { MemoryAccounts } from './memory-accounts.ts';

/** The account use cases over memory, and how to make a merchant in one line. */
export class Fixture {
  readonly clock = new FakeClock();
  readonly vault = new FakeVault();
  readonly random = new SeededRandom();
  readonly hasher = new QuickHasher();
  readonly ids = new FakeIds(this.clock);
  readonly accounts = new MemoryAccounts();
  readonly storage = { accounts: this.accounts };
  readonly createAccount = new CreateAccount(this);
  readonly createCredential = new CreateCredential(this);
  readonly rotate = new RotateCallbackCredential(this);
  #merchants = 0;

  async merchant(): Promise<{ readonly account: Account; readonly keys: NewCredential }> {
    this.#merchants += 1;
    const account = await this.createAccount.run({
      email: `merchant${this.#merchants}@shop.example`,
      password: 'correct horse',
    });
    return { account, keys: await this.createCredential.run(account.id, 'till') };
  }
}
