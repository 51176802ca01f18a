import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { ClientGone } from '../messages.ts';
import type { HttpApi } from '../pipeline.ts';
import { fromNode } from './node-request.ts';
import { writeResponse } from './write-response.ts';

/**
 * Serves the operations table as Express middleware. Other paths go on to the next handler.
 *
 * Install it before any body parser: signatures and exact numbers need the raw bytes.
 */
export function expressBinding(api: HttpApi): RequestHandler {
  return (req: Request, res: Response, next: NextFunction): void => {
    // Express removes the mount path from `url`, but signatures cover the whole target.
    const target = req.originalUrl;
    const route = api.route(target, req.baseUrl);
    if (route === null) {
      next();
      return;
    }
    const request = fromNode(req, res, target, req.baseUrl);
    request.onGone(api.begin());
    api.handle(request, route).then(
      (response) => writeResponse(req, res, response),
      (error: unknown) => {
        if (error instanceof ClientGone) res.destroy();
        else next(error);
      },
    );
  };
}
