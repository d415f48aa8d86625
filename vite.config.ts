import react from '@vitejs/plugin-react'
import { join } from 'node:path'
import { defineConfig } from 'vite'

/**
 * Builds the dashboard into `dist/ui`, which the API serves under `default-src 'none'`: nothing is
 * inlined and nothing comes from elsewhere.
 */
export default defineConfig({
  root: join(import.meta.dirname, 'src', 'ui'),
  plugins: [react()],
  build: {
    outDir: join(import.meta.dirname, 'dist', 'ui'),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
