/**
 * What the payer's page is measured against: a plain Express application that sends a ready text of the same size.
 *
 *     express-page.ts BYTES     prints its port
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';

const page = `<!doctype html>${'x'.repeat(Math.max(0, Number(process.argv[2]) - 15))}`;
const app = express();
app.get('/page', (_req, res) => void res.type('html').send(page));
const server: Server = app.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
