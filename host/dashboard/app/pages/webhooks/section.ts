import WebhookIcon from '@mui/icons-material/Webhook';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const webhooks: Section = {
  name: 'webhooks',
  path: '/webhooks',
  label: 'resources.webhooks.name',
  icon: WebhookIcon,
  resource: { name: 'webhooks', list: lazyPage(() => import('./webhook-list.tsx'), 'WebhookList') },
};
