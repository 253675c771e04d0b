import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npx vite` finds the API while somebody works on the pages: the `dashboardUrl` of a running `npm start`. */
const dashboardUrl = process.env['DASHBOARD_URL'];

export default defineConfig({
  root: 'web',
  plugins: [react()],
  build: {
    // The first that know light-dark().
    target: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: { polyfill: false },
    // Nothing as a data: address, which the Content-Security-Policy forbids.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A test holds what a first visit loads, compressed.
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: dashboardUrl === undefined ? {} : { '/api': dashboardUrl } },
});
