import type { NextConfig } from 'next';

export default {
  serverExternalPackages: ['tillgate'], // it loads its adapters when they are needed, from its own folder
  skipTrailingSlashRedirect: true, // paths of the payment API end in a slash
} satisfies NextConfig;
