/**
 * What a node's answer to a signed transaction means. None proves that the transaction was not sent or cannot be mined: the bytes
 * may be at another node. So no answer ends a payment; its outcome on the chain does.
 *
 * - `known`: the node has it. Where the node can be asked for the transaction, it has to show it; then it counts as sent.
 * - `spent`: another transaction used its nonce or its coins. The outcome says which one is mined.
 * - `later`: this node does not take it now. It is sent again, to another node where there is one, or replaced at a higher fee.
 * - `refused`: this node never takes it as it is. It is sent again until it is replaced, cancelled or expired: another node may have it.
 *
 * An answer of any other wording is unknown, and says as little as a reply that was lost.
 */
export type BroadcastMeaning = 'known' | 'spent' | 'later' | 'refused';

/**
 * A class of answers of the clients of a chain family, recognised by code and text; both must match where both are
 * given.
 */
export interface BroadcastAnswer {
  readonly means: BroadcastMeaning;
  /** A text of the till's own, because a node's text may contain anything and is not stored. */
  readonly reason: string;
  /** The source of the codes and texts. */
  readonly source: string;
  readonly codes?: readonly (number | string)[];
  readonly words?: RegExp;
}

/** @returns `null` for an unknown answer */
export function broadcastAnswer(
  answers: readonly BroadcastAnswer[],
  { code, message }: { readonly code: unknown; readonly message: string },
): BroadcastAnswer | null {
  const matches = ({ codes, words }: BroadcastAnswer): boolean =>
    codes?.some((one) => one === code) !== false && words?.test(message) !== false;
  return answers.find(matches) ?? null;
}

/** Why a node did not take a transaction, without the node's own words. */
export function broadcastReason(answer: BroadcastAnswer | null): string {
  return answer?.reason ?? 'the node gave an unknown reason';
}
