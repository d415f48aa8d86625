import type { Plugin } from 'vite'

/**
 * Adds the fonts to the page, so that the browser loads them at the same time as the scripts:
 * nothing is drawn before they are loaded.
 */
export function preloadFonts(): Plugin {
  return {
    name: 'countersign:preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const fonts = Object.keys(bundle).filter((name) => name.endsWith('.woff2'))
        return fonts.map((name) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            crossorigin: true,
            href: `/${name}`,
          },
          injectTo: 'head' as const,
        }))
      },
    },
  }
}
