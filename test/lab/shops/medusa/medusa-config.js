const { defineConfig } = require('@medusajs/framework/utils');

const env = process.env;

/** A Medusa server without an admin page: its database is PostgreSQL, and all else is in memory. */
module.exports = defineConfig({
  projectConfig: {
    databaseUrl: env.DATABASE_URL,
    databaseDriverOptions: { ssl: false },
    http: {
      storeCors: '*',
      adminCors: '*',
      authCors: '*',
      jwtSecret: env.SHOP_SECRET,
      cookieSecret: env.SHOP_SECRET,
    },
  },
  admin: { disable: true },
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        webhook_delay: 1,
        providers: [
          {
            resolve: 'tillgate-medusa',
            id: 'crypto',
            options: {
              baseUrl: env.TILL_URL,
              credentials: { apiToken: env.TILL_API_TOKEN, signingSecret: env.TILL_SIGNING_SECRET },
              webhookSecrets: (env.TILL_WEBHOOK_SECRET ?? '').split(' '),
            },
          },
        ],
      },
    },
  ],
});
