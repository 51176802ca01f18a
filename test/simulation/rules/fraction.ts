/** A plain decimal as a fraction of whole numbers. */
export function fraction(text: string): { readonly digits: bigint; readonly scale: bigint } {
  const [whole = '0', part = ''] = text.split('.');
  return { digits: BigInt(whole + part), scale: 10n ** BigInt(part.length) };
}
