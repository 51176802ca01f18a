/** The consequence of a finding, and its remedy. */
interface Explanation {
  readonly means: string;
  readonly advice: string;
}

/** Every problem and weakness that `doctor` reports. */
export const FINDINGS = {
  'configuration-wrong': {
    means: 'The till does not start with these settings.',
    advice: 'Correct the settings that are named in tillgate.config.json or the environment, and run doctor again.',
  },
  'setting-weak': {
    means: 'The till works, but this setting protects less than it could.',
    advice: 'Change the named setting, or accept the risk.',
  },
  'database-unusable': {
    means: 'Nothing can be stored, so no order is taken and nothing is paid out.',
    advice:
      'Check that the database runs, that its address and password are right, and that it belongs to this master key and release.',
  },
  'settings-differ': {
    means: 'A running instance of this database has other limits for money, so this one does not start.',
    advice:
      'Give all instances the same settings, or stop those with the old settings before starting one with the new ones.',
  },
  'clock-wrong': {
    means: 'This instance holds no leases, so it neither follows chains nor pays out.',
    advice: 'Synchronise the clocks of this machine and of the database by NTP.',
  },
  'signer-unreachable': {
    means: 'Payouts and sweeps wait; orders and deposits continue.',
    advice: 'Start `tillgate signer`, and check that the setting signer has its address.',
  },
  'signer-stopped': {
    means: 'An operator stopped signing, so payouts and sweeps wait; orders and deposits continue.',
    advice: 'Once the reason no longer applies, run `tillgate signer resume` on the signer’s machine.',
  },
  'plugins-unusable': {
    means: 'The till does not start: a plugin cannot be set up, or a setting does not fit the chains.',
    advice: 'Correct the options of the named plugin, or remove it from the setting plugins.',
  },
  'node-unusable': {
    means: 'The chain is not read: its deposits are not seen, its orders do not expire, and nothing is paid out on it.',
    advice: 'Check that the node runs, and that its address and password in the plugin’s options are right.',
  },
  'node-of-another-network': {
    means: 'The chain stops: this node belongs to another network than the one in the ledger.',
    advice: 'Correct the address of the node. Use a new database for another network.',
  },
  'chain-stopped': {
    means: 'The chain is neither read nor paid on until an operator has decided.',
    advice:
      'Fix the cause of the reason shown; then `tillgate chain resume CODE` continues from the last block that node and database share.',
  },
  'node-behind': {
    means: 'New deposits are seen late, and orders do not expire until the node has caught up.',
    advice: 'Wait until the node has caught up. If it does not, check its log, its disk and its peers.',
  },
  'chain-not-read': {
    means: 'Deposits in the newest blocks are not credited, and orders do not expire, until the chain is read again.',
    advice: 'Check the node’s answers; configure another node if the problem remains.',
  },
  'payouts-stopped': {
    means: 'Nothing is paid out on this chain, because the chain and the ledger do not agree.',
    advice: 'Run `tillgate wallet reconcile`, find the cause, then `tillgate chain resume-payouts CODE`.',
  },
  'currency-stopped': {
    means: 'Nothing is paid out in this currency; payouts in the chain’s other currencies continue.',
    advice: 'Follow the reason shown; payouts resume by themselves once its cause is fixed.',
  },
  'token-takes-fee': {
    means:
      'Less than what was sent arrives of each transfer of this token, so the ledger and the chain part and its payments stop.',
    advice: 'Return what was paid in it, and take it out of the settings.',
  },
  'coins-frozen': {
    means: 'The contract of a token refuses to move these coins. They pay nobody, and moving them is tried again.',
    advice:
      'Ask the token’s issuer for the reason. If the coins are lost, `tillgate wallet write-off CHAIN --address ADDRESS --reason R` removes them from the ledger.',
  },
  'coins-beyond-ledger': {
    means: 'These coins are on the chain and not in the ledger, so nobody is credited with them yet.',
    advice:
      'Let the till run: it records what is at a deposit address, and books what is in the hot wallet as the operator’s. If the coins stay, `tillgate deposit rescan --chain CODE --balances` records what is at deposit addresses.',
  },
  'payouts-wait': {
    means: 'The database may be a restored backup, so nothing is paid out yet; orders and deposits continue.',
    advice: 'Run `tillgate restore status` and follow its instructions.',
  },
  'lightning-unusable': {
    means: 'No Lightning invoice is created and none is paid.',
    advice:
      'Check that the Lightning node runs and is unlocked, and that its address and credential in the plugin’s options are right.',
  },
  'price-missing': {
    means: 'Orders in the named coin are refused, because it has no price.',
    advice: 'Add a source to rates.sources that has the coin, or find out why the present ones do not answer.',
  },
  'fiat-price-missing': {
    means: 'Orders priced in the named currencies are refused; those in other currencies are taken.',
    advice: 'Add a source to rates.sources that has them, such as coingecko, or price orders in other currencies.',
  },
  'chain-missing': {
    means: 'The till runs, and takes no payment, because it follows no chain.',
    advice: 'Add a plugin with the address of your node to the setting plugins, such as ethereum or bitcoin.',
  },
  'seed-file-left': {
    means: 'Whoever reads this file, or a backup of this machine, can take all the money of the wallet.',
    advice: 'Write the words on paper or move the file to a safe place on another machine, then delete it here.',
  },
  'nobody-told': {
    means: 'Alerts and held withdrawals are shown in the dashboard alone, where somebody has to look for them.',
    advice: 'Add the plugin smtp or chat to the setting plugins.',
  },
  'notifier-unusable': {
    means: 'Notices are stored and retried, and nobody receives them until then.',
    advice: 'Correct the options of the notifier’s plugin: server, user, password, or the address of the chat.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type FindingName = keyof typeof FINDINGS;

/** A problem with its name. */
export class Problem extends Error {
  readonly finding: FindingName;

  constructor(finding: FindingName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.finding = finding;
  }
}
