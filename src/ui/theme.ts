import { createTheme } from '@mantine/core'

/**
 * Only what Mantine must know in script; colours, fonts and radii are custom properties in
 * `styles/theme.css`, since injected style elements are refused by the content policy.
 */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Locking the page's scroll injects a style element; `styles/base.css` locks it instead.
    Modal: { defaultProps: { lockScroll: false, centered: true, overlayProps: { opacity: 0.45 } } },
    Drawer: { defaultProps: { lockScroll: false, overlayProps: { opacity: 0.35 } } },
    Tooltip: { defaultProps: { openDelay: 350, withinPortal: true, multiline: true } },
  },
})
