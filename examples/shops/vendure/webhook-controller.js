import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import { CallbackRejectedError } from '@tillgate/client';
import { Settlements } from './settlements.js';
import { Till } from './till.js';

/** `POST /tillgate/webhook`, the address of the webhook endpoint at the till. */
export class WebhookController {
  /** @param {Till} till @param {Settlements} settlements */
  constructor(till, settlements) {
    this.till = till;
    this.settlements = settlements;
  }

  /**
   * After any answer but 2xx the till sends the event again. @param {import('express').Request} req @param
   * {import('express').Response} res
   */
  async receive(req, res) {
    try {
      const { method, originalUrl: url, headers, body } = req;
      await this.settlements.handle(await this.till.verify({ method, url, headers, body }));
      res.status(204).end();
    } catch (error) {
      if (!(error instanceof CallbackRejectedError)) throw error;
      res.status(400).end();
    }
  }
}

// The equivalent of TypeScript's decorators.
Inject(Till)(WebhookController, undefined, 0);
Inject(Settlements)(WebhookController, undefined, 1);
Req()(WebhookController.prototype, 'receive', 0);
Res()(WebhookController.prototype, 'receive', 1);
Post()(
  WebhookController.prototype,
  'receive',
  /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(WebhookController.prototype, 'receive')),
);
Controller('tillgate/webhook')(WebhookController);
