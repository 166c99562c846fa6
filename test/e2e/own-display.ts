/** Before each file: the windows of this worker are on a display of their own. */
const displays = (process.env['HOLDFAST_TEST_DISPLAYS'] ?? '').split(' ');
const worker = Number(process.env['VITEST_POOL_ID'] ?? '1') - 1;
const mine = displays[worker % displays.length];
if (mine) process.env['DISPLAY'] = mine;
