/** Whatever lies below it belongs to the management API, and is answered in its envelope. */
export const MANAGE_BASE = '/manage/v1';
