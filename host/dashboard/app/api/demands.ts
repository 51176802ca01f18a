/** A marker in the page's location that makes it explain itself. */
export const DEMANDED = 'demanded';

/** The page of each required action, by the reason of the refusal. */
const PLACES: Readonly<Record<string, string>> = {
  password_change_required: `/password?${DEMANDED}`,
  second_factor_required: `/security?${DEMANDED}`,
};

/** The page of the action that a refused request required first; `null` for every other reason. */
export function placeOf(reason: string | null | undefined): string | null {
  return PLACES[reason ?? ''] ?? null;
}
