import { createRoot } from 'react-dom/client';
import { DashboardApp } from './dashboard-app.tsx';

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no place for the application.');

createRoot(root).render(<DashboardApp base={new URL('manage/v1/', document.baseURI).href} />);
