/**
 * Colors as pairs [light, dark]. The only place where a color is written; everything else uses
 * `var(--hf-…)`. A test measures their contrast.
 */
type Pair = readonly [light: string, dark: string];

export const COLOURS = {
  canvas: ['#f4f6f6', '#0e1416'],
  surface: ['#ffffff', '#141c1f'],
  sunken: ['#eaeeee', '#0a1012'],
  raised: ['#ffffff', '#1a2428'],
  hover: ['#f3f6f6', '#192226'],
  line: ['#dce3e3', '#233035'],
  'line-2': ['#c2cccd', '#35454b'],
  text: ['#15201f', '#e6eded'],
  'text-2': ['#47565a', '#aab8bb'],
  'text-3': ['#5f6e73', '#87989c'],
  kept: ['#0b6a73', '#4fc3c7'],
  'kept-bg': ['#ddeff0', '#113438'],
  'on-kept': ['#ffffff', '#062022'],
  ok: ['#1c7040', '#5cc98a'],
  'ok-bg': ['#e1f1e7', '#12301f'],
  working: ['#2558c4', '#7fa9ff'],
  'working-bg': ['#e4ecfb', '#17264a'],
  waiting: ['#555f70', '#a6b2c4'],
  'waiting-bg': ['#e8ebf0', '#232c38'],
  attention: ['#8a4b00', '#f2b155'],
  'attention-bg': ['#fbedd3', '#38290f'],
  'attention-fill': ['#bf6600', '#f2b155'],
  outage: ['#b42b22', '#ff8a7d'],
  'outage-bg': ['#fbe5e2', '#421916'],
  'outage-line': ['#e2b9b5', '#5d2b27'],
  ambiguous: ['#8a2f8f', '#e29be6'],
  'ambiguous-bg': ['#f6e6f6', '#38193b'],
  reissued: ['#4a4fbf', '#a5a8ff'],
  'reissued-bg': ['#e8e9fa', '#24264f'],
  muted: ['#5f6e73', '#87989c'],
  'muted-bg': ['#eaeeee', '#232f34'],
  'switch-off': ['#7e8f92', '#5b6d73'],
  'p-pure': ['#7e9096', '#5f7178'],
  'p-world': ['#83949a', '#64767d'],
  'p-llm': ['#5f7279', '#8799a0'],
  'p-side': ['#3a4a51', '#b4c2c6'],
  'p-ext': ['#111c1f', '#f2f6f6'],
  'code-keyword': ['#7a2e86', '#d9a3e6'],
  'code-string': ['#1c6a3c', '#74c795'],
  'code-value': ['#8a4b00', '#e6b070'],
  'code-name': ['#2455b0', '#8fb2ff'],
} as const satisfies Record<string, Pair>;

/** Shadows of section 6. */
export const SHADOWS = {
  shadow: ['0 1px 2px rgb(18 32 32 / 0.06)', '0 1px 2px rgb(0 0 0 / 0.4)'],
  'shadow-2': ['0 8px 28px rgb(18 32 32 / 0.14)', '0 10px 32px rgb(0 0 0 / 0.55)'],
} as const satisfies Record<string, Pair>;

export const FONT =
  '"Inter Variable", Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Cantarell, "Noto Sans", system-ui, sans-serif';
export const MONO =
  '"JetBrains Mono Variable", "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono", monospace';

/** The variables of one color scheme: 0 is light, 1 is dark. */
export function variablesOf(scheme: 0 | 1): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, pair] of Object.entries(COLOURS)) out[`--hf-${name}`] = pair[scheme];
  for (const [name, pair] of Object.entries(SHADOWS)) out[`--hf-${name}`] = pair[scheme];
  return out;
}
