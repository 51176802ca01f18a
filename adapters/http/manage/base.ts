/** The base path of the management API. */
export const MANAGE_BASE = '/manage/v1';
