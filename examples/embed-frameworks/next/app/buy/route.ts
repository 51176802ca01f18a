import { shop } from '../../till.ts';

export const POST = async (): Promise<Response> => Response.json(await shop().buy());
