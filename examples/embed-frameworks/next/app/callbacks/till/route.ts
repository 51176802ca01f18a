import { shop } from '../../../till.ts';

export const POST = async (request: Request): Promise<Response> =>
  new Response(null, { status: await shop().receive(request) });
