/** A Nest application with payments and the gateway; see README.md. */
import 'reflect-metadata';
import { Controller, Inject, Module, Post } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { openShop, port } from '../shop.ts';
import type { Shop } from '../shop.ts';

const SHOP = Symbol('shop');

@Controller()
class ShopController implements BeforeApplicationShutdown {
  constructor(@Inject(SHOP) private readonly shop: Shop) {}

  @Post('buy')
  async buy(): Promise<object> {
    return this.shop.buy();
  }

  /** Ends the live pages too, which Nest would wait for. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.shop.till.close();
  }
}

@Module({ providers: [{ provide: SHOP, useFactory: openShop }], controllers: [ShopController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error'] });
app.enableShutdownHooks(['SIGTERM'], { useProcessExit: true });
const { till } = app.get<Shop>(SHOP);
// Nest adds its body parsers when it listens: what is used before gets the bytes as they came in.
app.use('/pay', till.express());
app.use((req: Request, res: Response, next: NextFunction) => {
  if (till.gateway.handles(req.headers.host)) till.gateway.request(req, res);
  else next();
});
await app.listen(port, '127.0.0.1');
console.log(`shop on http://localhost:${port}`);
