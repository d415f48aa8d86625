import type { Plugin } from 'vite'

/**
 * Names the fonts in the page, so that the browser loads them beside the scripts and not after
 * them: nothing is drawn before they are loaded.
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
