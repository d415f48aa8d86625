import { createTheme } from '@mantine/core'

// Locking the page's scroll injects a style element; `styles/base.css` locks it instead.
const overPage = {
  lockScroll: false,
  overlayProps: { opacity: 0.4 },
  closeButtonProps: { 'aria-label': 'Close' },
}

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
    Modal: { defaultProps: { ...overPage, centered: true } },
    Drawer: { defaultProps: overPage },
    Tooltip: { defaultProps: { openDelay: 350, withinPortal: true, multiline: true } },
  },
})
