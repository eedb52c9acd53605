export default (task) => task;
