import ReceiptLongIcon from '@mui/icons-material/ReceiptLong';
import { lazyPage } from '../../components/lazy-page.ts';
import type { Section } from '../section.ts';

export const orders: Section = {
  name: 'orders',
  path: '/orders',
  label: 'resources.orders.name',
  icon: ReceiptLongIcon,
  resource: {
    name: 'orders',
    list: lazyPage(() => import('./order-list.tsx'), 'OrderList'),
    show: lazyPage(() => import('./order-show.tsx'), 'OrderShow'),
    create: lazyPage(() => import('./order-create.tsx'), 'OrderCreate'),
  },
};
